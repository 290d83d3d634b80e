-- The screen of `drive`: the robot, and below it the keys. A pure function of the state.
local text = require "robotalk.watch.text"

-- The keys that this robot has something for.
local function help(parts)
  local base, joints = parts.base, parts.dofs[1] ~= nil
  return {
    (base and "arrows, WASD: drive while held; Q, E: curves" or "left, right, A, D: move the joint while held")
      .. (base and base.y and "; , .: sideways" or "") .. ((parts.pan or parts.tilt) and "; I K J L: head" or ""),
    (joints and "1-9, Tab: choose a joint; U, O: move it; " or "")
      .. "+ -: faster, slower; Esc: stop all, whoever moves it",
    "SPACE: PANIC; R: reset; G: resume after a stop; T: ask for the robot; Ctrl-C: end"
      .. (base and " (Q turns)" or "") .. "; ?: help",
  }
end

local function chosen(pilot)
  local dof = pilot.chosen and pilot.parts.dofs[pilot.chosen]
  if not dof then return "" end
  return ("; joint %d %s.%s %.2f %s"):format(pilot.chosen, dof.joint, dof.dof, pilot:speed_of(pilot.chosen),
    dof.prismatic and "m/s" or "rad/s")
end

local function speeds(pilot, now)
  if pilot.blocked and pilot:holds(now) then return "let go of the keys: " .. pilot.blocked end
  local x, _, turn = pilot:speeds()
  return (pilot.parts.base and ("speed %.2f m/s, %.2f rad/s"):format(x, turn) or "no base") .. chosen(pilot)
end

-- drive: as of drive.lua. Lines, at most rows of them, each at most that many columns wide.
return function(drive, columns, rows, now)
  local answer = drive.answer and ("; answered in %.0f ms"):format(drive.answer * 1e3) or ""
  local foot = { drive.question and "> " .. drive.question.text or drive.message, speeds(drive.pilot, now) .. answer }
  table.insert(foot, drive.pad)
  if drive.help or rows >= 20 then table.move(help(drive.pilot.parts), 1, 3, #foot + 1, foot) end
  local lines
  if drive.seen then
    lines = require "robotalk.watch.picture" ({ drive.seen:view(now) }, columns, rows - #foot, drive.screen.style)
  else
    lines = { ("connecting to %s ..."):format(tostring(drive.connecting)) }
  end
  for row = #lines + 1, rows - #foot do lines[row] = "" end
  for i, line in ipairs(foot) do lines[rows - #foot + i] = text.fit(line, columns, drive.screen.style) end
  return lines
end
