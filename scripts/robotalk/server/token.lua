-- The token by which this program authenticates at a server. It is never on a command line, which all users of a
-- machine see.
local core = require "robotalk.core"
local mistake = require "robotalk.mistakes.mistake"

-- file: what --token-file names. option: that option, for verbs that connect.
local token = { option = { "token-file", "FILE", "the file with the token that a server asks for "
  .. "(or ROBOTALK_TOKEN_FILE, or the token itself in ROBOTALK_TOKEN)" } }

---That of connect's options { token =, token_file = }, otherwise --token-file's, or that of the environment; nil:
---none. nil, message, code for an invalid file.
function token.of(options)
  local text, file = options.token, options.token_file
  if text ~= nil and file ~= nil then mistake "connect: want token or token_file, got both" end
  if text ~= nil and (type(text) ~= "string" or #text > 255 or text:find "[\0\r\n]") then
    mistake "connect: token: want a text of at most 255 characters"
  end
  if file ~= nil and type(file) ~= "string" then mistake("connect: token_file: want a path, got %s", type(file)) end
  if text ~= nil then return text end
  file = file or token.file or os.getenv "ROBOTALK_TOKEN_FILE"
  if file then return core.token_of(file) end
  return os.getenv "ROBOTALK_TOKEN"
end

return token
