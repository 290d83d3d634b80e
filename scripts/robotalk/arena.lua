-- The name that robotalk.field had at first; scripts that have it go on working.
return require "robotalk.field"
