-- Parquet: what is written is read back; damaged files give errors. Other programs: tests/e2e/dataset.sh.
local extent = require "extent"
local parquet_reader = require "robotalk.dataset.parquet_reader"
local parquet_writer = require "robotalk.dataset.parquet_writer"
local weather = require "robotalk.weather"

local path = os.tmpname()

after_each(function() os.remove(path) end)

-- A file with each type, of n rows.
local function write(n)
  local columns = { { name = "index", type = "int64", values = {} }, { name = "text", type = "string", values = {} },
    { name = "time", type = "double", values = {} }, { name = "state", type = "float", list = true, values = {} },
    { name = "words", type = "string", list = true, values = {} } }
  for i = 1, n do
    columns[1].values[i], columns[2].values[i], columns[3].values[i] = i - 1 << 40, "text " .. i, i / 3
    columns[4].values[i], columns[5].values[i] = { i, -i / 4, 0.5 }, i % 2 == 0 and { "a" } or { "b", "" }
  end
  assert(parquet_writer.write(path, columns, { key = "value" }))
  return columns
end

local function bytes_of() return (assert(assert(io.open(path, "rb")):read "a")) end

local function overwrite(bytes)
  local file <close> = assert(io.open(path, "wb"))
  file:write(bytes)
end

describe("a Parquet file", function()
  it("is read as it was written", function()
    for _, n in ipairs { 1, 7, 8, 9, 300 } do
      local columns = write(n)
      local file <close> = assert(parquet_reader.open(path))
      expect.equal("index text time state words", table.concat(file.names, " "))
      for _, column in ipairs(columns) do assert_equal(column.values, assert(file:column(column.name))) end
    end
  end)

  it("has these bytes", function()
    assert(parquet_writer.write(path, { { name = "a", type = "float", list = true, values = { { 1 }, { 2, -3 } } } }))
    local hex = bytes_of():gsub(".", function(c) return ("%02x"):format(c:byte()) end)
    expect.equal("50415231" .. "1500" .. "15301530" .. "2c150615001506150600" .. "00" -- a page of 24 bytes, 3 values
      .. "02000000" .. "0304" .. "02000000" .. "0307" .. "0000803f" .. "00000040" .. "000040c0" -- levels, values
      .. "1502" .. "194c" .. "4806736368656d61150200" .. "35001801611502150600" -- the schema
      .. "350418046c697374150200" .. "150825001807656c656d656e7400"
      .. "1604" .. "191c" .. "191c" .. "26001c" .. "1508" .. "19250006" -- rows, and where their column is
      .. "1938016104" .. "6c69737407" .. "656c656d656e74" .. "1500" .. "1606" .. "16521652" .. "260800" .. "00"
      .. "1652" .. "160400" .. "2808726f626f74616c6b" .. "00" .. "6e000000" .. "50415231", hex)
  end)

  it("that is damaged gives errors that name a byte", function()
    write(20)
    local whole, random = bytes_of(), weather.random(7)
    local function look()
      local file <close>, message, code = parquet_reader.open(path)
      if not file then return expect.equal(code, "EBODY", message) end
      for _, name in ipairs(file.names) do
        local _, why, what = file:column(name)
        if why then expect.truthy(what == "EBODY" and why:find "byte %d+: ", why) end
      end
    end
    for n = 0, #whole - 1, extent(3, 20) do
      overwrite(whole:sub(1, n))
      look()
    end
    for _ = 1, extent(3000, 500) do
      local bytes = whole
      for _ = 1, 1 + random() * 3 // 1 do
        local at = 1 + random() * #bytes // 1
        bytes = bytes:sub(1, at - 1) .. string.char(random() * 256 // 1) .. bytes:sub(at + 1)
      end
      overwrite(bytes)
      look()
    end
  end)
end)
