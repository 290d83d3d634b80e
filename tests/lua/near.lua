-- near(actual, expected[, tolerance[, what]]): raises unless a number, or each number of a list, differs by less than
-- the tolerance; 1e-9 where none is given.
return function(actual, expected, tolerance, what)
  if type(expected) ~= "table" then actual, expected = { actual }, { expected } end
  for i, want in ipairs(expected) do
    local got = actual[i]
    if type(got) ~= "number" or not (math.abs(got - want) < (tolerance or 1e-9)) then
      error(("%s[%d]: expected %.12g, got %s"):format(what or "", i, want, tostring(got)), 2)
    end
  end
end
