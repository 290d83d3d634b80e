-- Means, deviations and t tests, against published tables, closed forms, and the numbers of paper 003.
local statistics = require "robotalk.statistics"

-- The t and the freedom of Welch's test of two samples, by a summary of each: { mean =, deviation =, count = }.
local function welch_of(a, b)
  local u, v = a.deviation ^ 2 / a.count, b.deviation ^ 2 / b.count
  local freedom = (u + v) ^ 2 / (u ^ 2 / (a.count - 1) + v ^ 2 / (b.count - 1))
  return { t = (a.mean - b.mean) / math.sqrt(u + v), freedom = freedom }
end

-- Those of Student's test of two samples of one deviation.
local function pooled_of(a, b)
  local freedom = a.count + b.count - 2
  local variance = ((a.count - 1) * a.deviation ^ 2 + (b.count - 1) * b.deviation ^ 2) / freedom
  return { t = (a.mean - b.mean) / math.sqrt(variance * (1 / a.count + 1 / b.count)), freedom = freedom }
end

describe("the incomplete beta function", function()
  -- I_x(a, 1) = x^a, I_x(1, b) = 1 - (1 - x)^b, I_x(1/2, 1/2) = 2 / pi asin sqrt x
  it("is what closed forms say", function()
    for _, x in ipairs { 0.001, 0.1, 0.37, 0.5, 0.9, 0.999 } do
      for _, a in ipairs { 0.5, 1, 2.5, 9.5, 60 } do
        expect.near(x ^ a, statistics.incomplete_beta(x, a, 1), 1e-12)
        expect.near(1 - (1 - x) ^ a, statistics.incomplete_beta(x, 1, a), 1e-12)
      end
      expect.near(2 / math.pi * math.asin(math.sqrt(x)), statistics.incomplete_beta(x, 0.5, 0.5), 1e-12)
    end
  end)
  it("is 0 and 1 at its ends", function()
    expect.equal(statistics.incomplete_beta(0, 3, 4), 0.0)
    expect.equal(statistics.incomplete_beta(1, 3, 4), 1.0)
  end)
end)

describe("Student's t", function()
  -- NIST/SEMATECH e-Handbook of Statistical Methods, section 1.3.6.7.2: critical values, one-sided, three decimals
  local ALPHA = { 0.10, 0.05, 0.025, 0.01, 0.005, 0.001 }
  local TABLE = {
    [2] = { 1.886, 2.920, 4.303, 6.965, 9.925, 22.327 },
    [10] = { 1.372, 1.812, 2.228, 2.764, 3.169, 4.143 },
    [19] = { 1.328, 1.729, 2.093, 2.539, 2.861, 3.579 },
    [30] = { 1.310, 1.697, 2.042, 2.457, 2.750, 3.385 },
    [100] = { 1.290, 1.660, 1.984, 2.364, 2.626, 3.174 },
  }
  it("has the probabilities of the published table", function()
    for freedom, values in pairs(TABLE) do
      for i, t in ipairs(values) do
        -- the table's last digit is not always rounded to the nearest: one unit of it either way
        expect.truthy(statistics.student(t - 0.001, freedom) > 2 * ALPHA[i])
        expect.truthy(statistics.student(t + 0.001, freedom) < 2 * ALPHA[i])
      end
    end
  end)
  it("of one degree of freedom is Cauchy's distribution", function()
    for _, t in ipairs { 0.1, 1, 6.314, 1000 } do
      expect.near(1 - 2 / math.pi * math.atan(t), statistics.student(t, 1), 1e-12)
    end
  end)
  it("does not ask on which side", function()
    expect.equal(statistics.student(-2, 7), statistics.student(2, 7))
    expect.near(1, statistics.student(0, 7), 1e-12)
    expect.equal(statistics.student(math.huge, 7), 0.0)
  end)
end)

describe("a sample", function()
  -- 2, 4, 4, 4, 5, 5, 7, 9: sum 40, squares of the differences from the mean 32
  local list = { 2, 4, 4, 4, 5, 5, 7, 9 }
  it("has a mean and a deviation", function()
    expect.equal(statistics.mean(list), 5.0)
    expect.near(math.sqrt(32 / 7), statistics.deviation(list), 1e-12)
    expect.equal(statistics.deviation { 3 }, 0.0)
    expect.equal(statistics.quantile({ 3, 1, 2, 4 }, 0.5), 3)
    expect.equal(statistics.quantile({ 3, 1, 2 }, 1), 3)
  end)
  it("is compared with another, pair by pair", function()
    -- differences 1, 2, 3: mean 2, deviation 1, so t is 2 sqrt 3; p by the closed form of two degrees of freedom
    local r = statistics.paired({ 5, 7, 9 }, { 4, 5, 6 })
    expect.near(2 * math.sqrt(3), r.t, 1e-12)
    expect.equal(r.freedom, 2)
    expect.near(1 - r.t / math.sqrt(2 + r.t ^ 2), r.p, 1e-12)
  end)
  it("without any spread differs for certain, or not at all", function()
    local r = statistics.paired({ 2, 2, 2 }, { 1, 1, 1 })
    expect.equal(r.t, math.huge)
    expect.equal(r.p, 0.0)
    r = statistics.paired({ 2, 3 }, { 2, 3 })
    expect.equal(r.t, 0.0)
    expect.near(1, r.p, 1e-12)
  end)
  it("of one pair tells nothing", function()
    local r = statistics.paired({ 2 }, { 1 })
    expect.truthy(r.t ~= r.t and r.p ~= r.p)
  end)
  it("is compared with another by what is known of them", function()
    -- equal counts: both tests have the same t; Welch's freedom is the lesser
    local a, b = { mean = 10, deviation = 1, count = 9 }, { mean = 9, deviation = 2, count = 9 }
    local welch, pooled = welch_of(a, b), pooled_of(a, b)
    expect.near(1 / math.sqrt(5 / 9), welch.t, 1e-12)
    expect.near(welch.t, pooled.t, 1e-12)
    expect.equal(pooled.freedom, 16)
    expect.near((5 / 9) ^ 2 / ((1 / 9) ^ 2 / 8 + (4 / 9) ^ 2 / 8), welch.freedom, 1e-12)
  end)
end)

-- Tables 1 and 2 of paper 003: 20 trials a test. Its deviations and means are rounded to three decimals.
describe("the t test of paper 003", function()
  local tests = { { mean = 4.402, deviation = 0.037, count = 20 }, { mean = 4.399, deviation = 0.046, count = 20 },
    { mean = 4.393, deviation = 0.054, count = 20 } }
  local compared = { { 1, 2, t = 0.1895, p = 0.8517 }, { 2, 3, t = 0.4092, p = 0.6870 },
    { 1, 3, t = 0.6166, p = 0.5448 } }
  local HALF = 0.0005

  -- The same test with means and deviations shifted by at most what rounding may have taken.
  local function shifted(test, mean, deviation)
    return { mean = test.mean + mean * HALF, deviation = test.deviation + deviation * HALF, count = test.count }
  end

  it("has the p values of a paired test: 19 degrees of freedom", function()
    for _, c in ipairs(compared) do
      -- t is rounded, too: p lies between those of both ends
      local least, most = statistics.student(c.t + HALF / 10, 19), statistics.student(c.t - HALF / 10, 19)
      expect.truthy(least < c.p + HALF / 10 and most > c.p - HALF / 10)
      expect.near(c.p, statistics.student(c.t, 19), 0.00005)
    end
  end)
  it("is not one of two samples: 38 degrees of freedom, or Welch's fewer, give other p values", function()
    for _, c in ipairs(compared) do
      expect.truthy(math.abs(statistics.student(c.t, 38) - c.p) > 0.0009)
      local freedom = welch_of(tests[c[1]], tests[c[2]]).freedom
      expect.truthy(freedom > 33 and math.abs(statistics.student(c.t, freedom) - c.p) > 0.0009)
    end
  end)
  it("has t values that Table 1 allows when the trials of a pair vary independently", function()
    for _, c in ipairs(compared) do
      local a, b = tests[c[1]], tests[c[2]]
      local least = pooled_of(shifted(a, -1, 1), shifted(b, 1, 1)).t
      local most = pooled_of(shifted(a, 1, -1), shifted(b, -1, -1)).t
      expect.truthy(least < c.t and c.t < most)
    end
  end)
  it("goes with a decrease of 0.06 % to test 2, and not with one of 0.15 % to test 3", function()
    local function decrease(a, b) return (a.mean - b.mean) / a.mean end
    expect.truthy(decrease(shifted(tests[1], -1, 0), shifted(tests[2], 1, 0)) < 0.0006)
    expect.truthy(decrease(shifted(tests[1], 1, 0), shifted(tests[2], -1, 0)) > 0.0006)
    expect.truthy(decrease(shifted(tests[1], -1, 0), shifted(tests[3], 1, 0)) > 0.0018)
  end)
end)
