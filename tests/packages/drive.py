import robotalk

with robotalk.connect("pioneer2") as robot:
    print("%s %.2f" % (robot.go_to(x=1).signal, robot.state().x))
