-- Devices with JPEG, of another size or quality.
return require "robotalk.translator.picture" "jpeg"
