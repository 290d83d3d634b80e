-- Devices with pictures of three bytes of each pixel, row by row from the top.
return require "robotalk.translator.picture" "rgb"
