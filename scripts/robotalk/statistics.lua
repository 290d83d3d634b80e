-- Means, deviations and Student's t tests of small samples.
local statistics = {}

-- Lanczos' approximation of the gamma function (g = 7, nine terms): 15 digits.
local G = 7
local TERMS = { 0.99999999999980993, 676.5203681218851, -1259.1392167224028, 771.32342877765313, -176.61502916214059,
  12.507343278686905, -0.13857109526572012, 9.9843695780195716e-6, 1.5056327351493116e-7 }

-- The logarithm of the gamma function of x > 0.
local function log_gamma(x)
  if x < 0.5 then return math.log(math.pi / math.sin(math.pi * x)) - log_gamma(1 - x) end
  local sum, t = TERMS[1], x + G - 0.5
  for i = 1, #TERMS - 1 do sum = sum + TERMS[i + 1] / (x - 1 + i) end
  return 0.5 * math.log(2 * math.pi) + (x - 0.5) * math.log(t) - t + math.log(sum)
end

local TINY, ENOUGH, MOST = 1e-300, 1e-15, 1000

-- The continued fraction of the incomplete beta function, by Lentz' method; it converges quickly for
-- x < (a + 1) / (a + b + 2).
local function fraction(x, a, b)
  local function nonzero(v) return math.abs(v) < TINY and TINY or v end
  local c, d = 1, 1 / nonzero(1 - (a + b) * x / (a + 1))
  local result = d
  for m = 1, MOST do
    local even = m * (b - m) * x / ((a + 2 * m - 1) * (a + 2 * m))
    d, c = 1 / nonzero(1 + even * d), nonzero(1 + even / c)
    result = result * d * c
    local odd = -(a + m) * (a + b + m) * x / ((a + 2 * m) * (a + 2 * m + 1))
    d, c = 1 / nonzero(1 + odd * d), nonzero(1 + odd / c)
    result = result * d * c
    if math.abs(d * c - 1) < ENOUGH then break end
  end
  return result
end

---The regularised incomplete beta function I_x(a, b), for x from 0 to 1 and a, b > 0.
function statistics.incomplete_beta(x, a, b)
  if x <= 0 then return 0.0 end
  if x >= 1 then return 1.0 end
  local front = math.exp(log_gamma(a + b) - log_gamma(a) - log_gamma(b) + a * math.log(x) + b * math.log(1 - x))
  if x < (a + 1) / (a + b + 2) then return front * fraction(x, a, b) / a end
  return 1 - front * fraction(1 - x, b, a) / b
end

---The two-sided p value of Student's t: how probable a t at least as far from 0 is by chance.
function statistics.student(t, freedom)
  if t ~= t then return 0 / 0 end
  if math.abs(t) == math.huge then return 0.0 end
  return statistics.incomplete_beta(freedom / (freedom + t * t), freedom / 2, 0.5)
end

---The mean of a list.
function statistics.mean(list)
  local sum = 0
  for _, x in ipairs(list) do sum = sum + x end
  return sum / #list
end

---The standard deviation of a sample: divided by one less than there are; 0 of a single value.
function statistics.deviation(list)
  if #list < 2 then return 0.0 end
  local mean, sum = statistics.mean(list), 0
  for _, x in ipairs(list) do sum = sum + (x - mean) ^ 2 end
  return math.sqrt(sum / (#list - 1))
end

-- A difference over its standard error. Equal values without any spread are no difference; others are a certain one.
local function compared(difference, err, freedom)
  local t = err > 0 and difference / err or difference == 0 and 0.0 or difference / 0
  if freedom < 1 or freedom ~= freedom then return { t = 0 / 0, p = 0 / 0, freedom = freedom } end
  return { t = t, p = statistics.student(t, freedom), freedom = freedom }
end

---Student's t test of pairs a[i], b[i]: { t, p (two-sided), freedom }. NaN of less than two pairs.
function statistics.paired(a, b)
  local differences = {}
  for i, x in ipairs(a) do differences[i] = x - b[i] end
  return compared(statistics.mean(differences), statistics.deviation(differences) / math.sqrt(#differences),
    #differences - 1)
end

---The quantile of a list, for a fraction from 0 to 1; the list is sorted. nil for an empty list.
function statistics.quantile(list, share)
  table.sort(list)
  return list[math.min(#list, math.floor(share * #list) + 1)]
end

return statistics
