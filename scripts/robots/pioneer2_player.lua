-- The Pioneer 2-DX with its Sony EVI-D30 behind a server of Player: the setup of paper 000, section VI, RoboTalk over
-- Player's drivers P2OS and PTZ. Its body is pioneer2's. Behind player://localhost:6665 are position2d:0 (p2os), ptz:0
-- (sonyevid30), and sonar:0, bumper:0, power:0, camera:0, which may be missing. For another address: a descriptor
-- with from = "pioneer2_player" and drivers = { p2os = { url = "player://ADDRESS" } }.
---@type robotalk.Descriptor
return {
  from = "pioneer2",
  name = "pioneer2_player", model = "ActivMedia Pioneer 2-DX with a Sony EVI-D30, behind Player",
  base = { driver = "p2os" },
  joints = { { name = "head", driver = "p2os" } },
  -- Player's own drivers: p2os gives position2d, sonar and power, sonyevid30 ptz, those of cameras camera
  drivers = { camera = false, p2os = { driver = "player", url = "player://localhost:6665" } },
}
