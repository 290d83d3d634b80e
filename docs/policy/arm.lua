-- The arm of the simulation, with small pictures, which are drawn faster.
return { from = "so101_follower", name = "picker", cameras = { { name = "wrist", link = "gripper",
  position = { -0.004, -0.059, -0.0203 }, attitude = { 0, math.rad(65), math.rad(90) }, width = 160, height = 120,
  fov = math.rad(65), rate = 30, driver = "eye" } } }
