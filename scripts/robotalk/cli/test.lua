local script = require "robotalk.cli.script"

return {
  usage = "FILE|FOLDER … [--tap] [--junit FILE] [--world FILE] [--physics] [--seed N]",
  details = "A FOLDER stands for its *_test.lua and *.mcap. A recording of robots is a test that all happens\n"
    .. "again (docs/recordings.md). In a test: assert_equal(want, got), tables item by item;\n"
    .. "assert_near(want, got, tolerance); assert_raises(pattern, fn, …); assert(x, why): docs/lua.md.",
  options = {
    { "tap", nil, "as TAP 13: failures with their reasons" },
    script.WORLD,
    script.PHYSICS,
    { "seed", "N", "seed of each test's world (default 1)", number = true },
    { "junit", "FILE", "writes a JUnit report: a suite for each file, with reasons and times" },
  },
  example = "robotalk test tests/lua",
  exits = "0 all passed, 1 some failed or there were none, 2 wrong usage",
  main = function(args)
    if #args == 0 then
      script.complain("test: which files?")
      return 2
    end
    script.physics(args.physics)
    if args.world then
      local room, why = require "robotalk.world".read(args.world)
      for line in (room and "" or why):gmatch "[^\n]+" do script.complain(line) end
      if not room then return 2 end
    end
    return require "robotalk.testing".run(args, { tap = args.tap, junit = args.junit, world = args.world,
      seed = args.seed and math.floor(args.seed) }) and 0 or 1
  end,
}
