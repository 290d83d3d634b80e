local script = require "robotalk.cli.script"

return {
  usage = "FILE|FOLDER … [--tap] [--junit FILE]",
  options = {
    { "tap", nil, "as TAP" },
    { "junit", "FILE", "writes a JUnit report" },
  },
  example = "robotalk test tests/lua",
  exits = "0 all passed, 1 some failed or there were none, 2 wrong usage",
  main = function(args)
    if #args == 0 then
      script.complain("test: which files?")
      return 2
    end
    return require "robotalk.testing".run(args, { tap = args.tap, junit = args.junit }) and 0 or 1
  end,
}
