-- The name that robotalk.tekkotsu.play had at first; scripts that have it go on working.
return require "robotalk.tekkotsu.play"
