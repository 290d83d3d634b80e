-- The program's verbs, in the order in which help lists them. Each is a module robotalk.cli.NAME.
return { "repl", "serve", "run", "check", "convert", "experiment", "ping", "test", "bench" }
