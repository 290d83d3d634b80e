-- The former name of robotalk.tekkotsu.play; scripts that use it continue to work.
return require "robotalk.tekkotsu.play"
