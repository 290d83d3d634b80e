-- Devices with pictures of a byte of each pixel, row by row from the top.
return require "robotalk.translator.picture" "gray"
