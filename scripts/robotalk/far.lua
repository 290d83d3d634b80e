-- Robots of this process that stand for one elsewhere, behind a protocol with leases of its own: who drives that one
-- is known to their driver. By the name of the robot here: holder, take, release and join, of robotalk.rctp_robot.
return {}
