-- The former name of robotalk.field; scripts that use it continue to work.
return require "robotalk.field"
