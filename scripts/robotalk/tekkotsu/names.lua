-- Tekkotsu's names for the outputs and sensors of an AIBO, in its order (Shared/ERS7Info.h, ERS210Info.h), and their
-- places in our bodies: joint and dof by the descriptors' names.
local names = {}

local LEGS = { "LFr", "RFr", "LBk", "RBk" }

-- The 18 joints of both models; the head's third turns another way on an ERS-210.
local function joints_of(third)
  local list = {}
  for _, leg in ipairs(LEGS) do
    for _, part in ipairs { "rotor", "elvtr", "knee" } do list[#list + 1] = leg .. ":" .. part end
  end
  for _, name in ipairs { "NECK:tilt", "NECK:pan", third, "TAIL:tilt", "TAIL:pan",
    "MOUTH" } do list[#list + 1] = name end
  return list
end

local function with(list, prefix, more)
  for word in more:gmatch "%S+" do list[#list + 1] = prefix .. word end
  return list
end

local MODELS = {
  ERS7 = {
    outputs = with(with(joints_of "NECK:nod", "LED:",
      "headC headW modeR modeG modeB wless faceA faceB faceC faceD faceE faceF "
      .. "faceG faceH faceI faceJ faceK faceL faceM faceN bkFrC bkFrW bkMdC bkMdW bkRrC bkRrW ABmod"), "EAR:",
        "left right"),
    sensors = with({}, "",
      "NearIRDist FarIRDist ChestIRDist BAccel LAccel DAccel PowerRemain PowerThermo PowerCapacity "
      .. "PowerVoltage PowerCurrent"),
    buttons = with({}, "",
      "LFrPaw RFrPaw LBkPaw RBkPaw ChinBut HeadBut FrontBackBut MiddleBackBut RearBackBut WirelessSw"),
  },
  ERS210 = {
    outputs = with(with(joints_of "NECK:roll", "LED:", "botL botR midL midR topL topR topBr tlRed tlBlu"), "EAR:",
      "left right"),
    sensors = with({}, "", "IRDist BAccel LAccel DAccel Thermo PowerRemain PowerThermo PowerCapacity PowerVoltage "
      .. "PowerCurrent"),
    buttons = with({}, "", "LFrPaw RFrPaw LBkPaw RBkPaw ChinBut BackBut HeadFrBut HeadBkBut"),
  },
}
names.JOINTS = 18 -- of the outputs, the first ones

---Names of a model's outputs in order: 18 joints, LEDs, ears. model: ERS7 unless given.
function names.outputs(model) return MODELS[model or "ERS7"].outputs end

---Names of a model's sensors, and of its buttons, in order.
function names.sensors(model) return MODELS[model or "ERS7"].sensors end
function names.buttons(model) return MODELS[model or "ERS7"].buttons end

-- Tekkotsu's name -> joint and dof of a descriptor.
local PLACES = { ["NECK:tilt"] = { "neck", "tilt" }, ["NECK:pan"] = { "head", "pan" }, ["NECK:nod"] = { "head", "nod" },
  ["NECK:roll"] = { "head", "roll" }, ["TAIL:tilt"] = { "tail", "tilt" }, ["TAIL:pan"] = { "tail", "pan" },
  MOUTH = { "mouth", "mouth" } }
for _, leg in ipairs(LEGS) do
  PLACES[leg .. ":rotor"], PLACES[leg .. ":elvtr"] = { leg, "rotor" }, { leg, "elvtr" }
  PLACES[leg .. ":knee"] = { leg .. "_knee", "knee" }
end

---Joint and dof of a body that have that name of Tekkotsu's; nil when it has none. body: of robot:describe().
---A head of another body answers to NECK:pan, and to NECK:tilt with its tilt.
function names.place(body, name)
  local place = PLACES[name]
  local joint = place and body.joints[place[1]]
  if joint and joint.index[place[2]] then return place[1], place[2] end
  local head = body.joints.head
  if not head then return nil end
  if name == "NECK:pan" and head.index.pan then return "head", "pan" end
  if (name == "NECK:tilt" or name == "NECK:nod") and head.index.tilt then return "head", "tilt" end
end

-- GTI's atoms: neckTilt1, neckPan, neckTilt2 are from the API page of the interface, the others follow their pattern.
local ATOMS = { neckTilt1 = "NECK:tilt", neckPan = "NECK:pan", neckTilt2 = "NECK:nod", tailTilt = "TAIL:tilt",
  tailPan = "TAIL:pan", mouth = "MOUTH" }
for _, leg in ipairs(LEGS) do
  local atom = leg:sub(1, 1):lower() .. leg:sub(2)
  ATOMS[atom .. "Rotor"], ATOMS[atom .. "Elevator"], ATOMS[atom .. "Knee"] = leg .. ":rotor", leg .. ":elvtr",
    leg .. ":knee"
end

---Tekkotsu's name of one of the interface's atoms or of a name of Tekkotsu's itself; sensors and buttons begin with a
---small letter there. nil for other names.
function names.of_atom(atom, model)
  if ATOMS[atom] then return ATOMS[atom] end
  local kind = MODELS[model or "ERS7"]
  for _, list in ipairs { kind.outputs, kind.sensors, kind.buttons } do
    for _, name in ipairs(list) do
      if name == atom or name:sub(1, 1):lower() .. name:sub(2) == atom then return name end
    end
  end
end

---An output by the rules of Tekkotsu's files: trailing ~ do not count, the beginning of a name is enough, and the
---search continues from the last hit, round to it again. Its place in the list, or nil. last: that hit.
function names.find(list, name, last)
  name = name:gsub("~+$", "")
  for i = 0, #list - 1 do
    local k = (last - 1 + i) % #list + 1
    if list[k]:sub(1, #name) == name then return k end
  end
end

return names
