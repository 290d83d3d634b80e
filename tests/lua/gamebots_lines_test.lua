-- Lines of Gamebots as the driver of robots behind such a server reads them.
local lines = require "robotalk.gamebots.lines"

describe("lines of Gamebots", function()
  it("are read in the shapes of both dialects", function()
    local old = lines.parse "SEN {Time 3.0} {Type Sonar} {Name F1 Range 2.5098} {Name F2 Range 3.3153}"
    local new = lines.parse "SEN {Time 3.0}{Type Sonar}{Name F1}{Range 2.5098}"
    expect.equal("F1=2.5098 F2=3.3153", (function()
      local words = {}
      for i, v in ipairs(lines.values(old, "range")) do words[i] = v[1]:upper() .. "=" .. v[2] end
      return table.concat(words, " ")
    end)())
    expect.equal("2.5098", lines.values(new, "range")[1][2])
    expect.equal(0.5, lines.links(lines.parse "MISSTA {Link 1} {Value 0.1} {Torque -20} {Link 2} {Value 0.5}")[2])
  end)

  it("have no numbers that are none", function()
    for _, text in ipairs { "nan", "1e99", "0x10", "1,x" } do expect.equal(nil, lines.numbers(text)) end
    expect.equal(-2.0, lines.turn(lines.numbers "1, 2 0")[2])
  end)
end)
