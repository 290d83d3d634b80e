-- The experiment of paper 003 apart from its runs: checksums, the file of trials, what becomes of their numbers.
local experiment = require "experiments.images"
local images = require "robotalk.images"
local picture_trial = require "robotalk.picture_trial"

local SETTINGS = { frames = 10, rate = 100, width = 640, height = 480, quality = 80, seed = 0, trials = 3 }

local function row(test, trial, rate, changes)
  local r = { test = test, trial = trial, seconds = 10 / rate, frames_per_second = rate, bytes = 1000, middle = 0.001,
    p99 = 0.002, worst = 0.003, whole = test > 1 and 10 or 0, lost = 0, wrong = 0, twice = 0 }
  for name, value in pairs(changes or {}) do r[name] = value end
  return r
end

-- Three trials of each test.
local function rows(first, second, third)
  local all = {}
  for test, rates in ipairs { first, second, third } do
    all[test] = {}
    for k, rate in ipairs(rates) do all[test][k] = row(test, k, rate) end
  end
  return all
end

describe("a checksum of a frame", function()
  it("is FNV-1a over words of 8 bytes, begun with the length", function()
    -- of one word: (basis xor 8 xor word) times the prime
    local word = string.unpack("<i8", "abcdefgh")
    expect.equal((0xCBF29CE484222325 ~ 8 ~ word) * 0x100000001B3, picture_trial.checksum "abcdefgh")
  end)
  it("tells texts apart that differ in a byte, in their length, or in their order", function()
    local text = ("frame %d "):rep(1000)
    local seen = { [picture_trial.checksum(text)] = true }
    for _, other in ipairs { text .. "\0", text:sub(1, -2), text:sub(9) .. text:sub(1, 8), "", "\0",
      text:sub(1, 4095) .. "x" .. text:sub(4097), text:sub(1, 4096) .. "x" .. text:sub(4098) } do
      local sum = picture_trial.checksum(other)
      expect.truthy(not seen[sum])
      seen[sum] = true
    end
  end)
end)

describe("what was stored", function()
  -- A whole JPEG by its structure, whose scan is a number.
  local function frame(n)
    return ("\xff\xd8\xff\xc0\0\11\8\0\1\0\1\1\1\17\0\xff\xda\0\8\1\1\0\0\63\0%04d\xff\xd9"):format(n)
  end

  -- Has these frames stored in a new folder, and calls fn with it.
  local function stored(numbers, fn)
    local dir = os.tmpname()
    os.remove(dir)
    local server = assert(images.serve(dir, { listen = { "images+unix:" .. dir .. ".sock" } }))
    local sender = assert(images.dial("images+unix:" .. dir .. ".sock", { lossless = true }))
    for _, n in ipairs(numbers) do assert(sender:put(frame(n))) end
    sender:close()
    server:close()
    fn(dir)
    require "robotalk.experiment".remove(dir)
    os.remove(dir .. ".sock")
  end
  local sums = {}
  for n = 1, 4 do sums[n] = picture_trial.checksum(frame(n)) end

  it_really("is whole, when it is what was sent", function()
    stored({ 0, 1, 2, 3, 4 }, function(dir)
      local found, last = picture_trial.verify(dir, 1, sums)
      expect.same({ whole = 4, lost = 0, wrong = 0, twice = 0 }, found)
      expect.equal(5, last)
    end)
  end)
  it_really("is missed, or found to be another or in another place, or there twice", function()
    stored({ 1, 2, 2, 3, 7, 4 }, function(dir)
      expect.same({ whole = 4, lost = 0, wrong = 1, twice = 1 }, (picture_trial.verify(dir, 0, sums)))
    end)
    stored({ 1, 4, 2 }, function(dir)
      expect.same({ whole = 1, lost = 3, wrong = 1, twice = 1 }, (picture_trial.verify(dir, 0, sums)))
    end)
    stored({ 1, 2, 3, 4 }, function(dir)
      local file <close> = assert(io.open(dir .. "/000000000003.jpg", "r+"))
      file:seek("set", 26)
      file:write "x"
      file:flush()
      assert(os.remove(dir .. "/000000000004.jpg"))
      expect.same({ whole = 2, lost = 2, wrong = 1, twice = 0 }, (picture_trial.verify(dir, 0, sums)))
    end)
  end)
end)

describe("the file of trials", function()
  local first, second = row(1, 1, 125), row(3, 2, 80, { wrong = 1, whole = 9 })
  local text = table.concat({ experiment.head, experiment.line_of(first, SETTINGS),
    experiment.line_of(second, SETTINGS) }, "\n") .. "\n"

  it("is read as it was written", function()
    expect.same({ { first }, {}, { [2] = second } }, experiment.read_rows(text, SETTINGS))
  end)
  it("ends before a line that was cut off", function()
    expect.same({ { first }, {}, {} }, experiment.read_rows(text:sub(1, -12), SETTINGS))
    expect.same({ {}, {}, {} }, experiment.read_rows("", SETTINGS))
    expect.same({ {}, {}, {} }, experiment.read_rows("something else\n1,2\n", SETTINGS))
  end)
  it("of other settings is not gone on with", function()
    local others = { frames = 10, rate = 50, width = 640, height = 480, quality = 80, seed = 0 }
    local none, why = experiment.read_rows(text, others)
    expect.equal(nil, none)
    expect.equal("rate 100", why)
  end)
end)

describe("the table", function()
  it("has means, deviations, decreases and paired comparisons", function()
    local r = experiment.result_of("paced", SETTINGS, rows({ 100, 101, 102 }, { 99.5, 100, 101.5 }, { 99, 99, 99 }))
    expect.near(101, r.mean[1], 1e-9)
    expect.near(1, r.deviation[1], 1e-9)
    expect.near(2 / 101, r.decrease[3], 1e-9)
    -- differences 1, 2, 3: mean 2, deviation 1
    expect.near(2 * math.sqrt(3), r.pairs[3].t, 1e-9)
    expect.equal(2, r.pairs[3].freedom)
    expect.equal(60, r.handed)
    expect.equal(false, r.reached) -- 2 % is too much
    local text = experiment.table_of { r }
    for _, words in ipairs { "paced, 100 frames/s: 3 trials of 10 frames, 640 x 480, quality 80",
      "decrease from test 1%s+%-%s+0%.660 %%%s+1%.980 %%", "the paper's p%s+0%.8517%s+0%.6870%s+0%.5448",
      "t, paired, of 3 trials", "60 of 60 frames that were handed over came whole, 0 lost, 0 wrong", "NOT REACHED" } do
      expect.truthy(text:find(words), words)
    end
  end)
  it("says reached of less than 1 %, if every frame came whole", function()
    local all = rows({ 100, 100, 100 }, { 100, 99.9, 100 }, { 99.5, 99.6, 99 })
    expect.equal(true, experiment.result_of("paced", SETTINGS, all).reached)
    all[3][2].whole, all[3][2].lost = 9, 1
    local r = experiment.result_of("paced", SETTINGS, all)
    expect.equal(false, r.reached)
    expect.equal(false, r.whole_frames)
    expect.truthy(experiment.table_of { r }:find "59 of 60 frames .* 1 lost, 0 wrong\n.*NOT REACHED")
  end)
  it("claims nothing of what goes as fast as it can, nor of a bad link", function()
    for _, name in ipairs { "unpaced", "link" } do
      local r = experiment.result_of(name, SETTINGS, rows({ 9, 9, 9 }, { 8, 8, 8 }, { 5, 5, 5 }))
      expect.equal(nil, r.reached)
      expect.truthy(not experiment.table_of { r }:lower():find "reached")
    end
  end)
  it("does not say that a p is 0", function()
    local r = experiment.result_of("unpaced", SETTINGS, rows({ 9.999, 10, 10.001 }, { 8.999, 9, 9.0011 }, { 5, 5, 5 }))
    expect.truthy(r.pairs[1].p > 0 and r.pairs[1].p < 0.00005)
    expect.truthy(experiment.table_of { r }:find "\np%s+< 0%.0001%s")
  end)
  it("has one test of the hour", function()
    local all = { {}, {}, { row(3, 1, 100), row(3, 2, 99), row(3, 3, 98) } }
    local r = experiment.result_of("hour", SETTINGS, all)
    expect.near(99, r.mean[3], 1e-9)
    expect.equal(nil, r.decrease[3])
    expect.equal(30, r.whole)
    expect.truthy(experiment.table_of { r }:find "mean, frames/s%s+99%.000\n")
  end)
end)
