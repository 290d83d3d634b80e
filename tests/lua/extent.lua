---extent(all, some): how often a test does something again, or for how long. `./test` sets ROBOTALK_BRIEF: then it is
---`some`. `./test --long`, and who runs a test by hand, do `all`.
return function(all, some)
  if os.getenv "ROBOTALK_BRIEF" then return some end
  return all
end
