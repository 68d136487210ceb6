-- Stores a new key and grants its account credits in one step, so that neither is there without the other.
-- KEYS[1] root   ARGV: account, credits (0 for none), note, token, token ttl ms, key id, digest of the key, record (JSON
-- object, all text)
-- The same call sent again changes nothing; a token that was used before grants nothing.
-- @include "money.lua"
-- Answers 'done'; or 'too_many', and changes nothing, when the balance would exceed 2^53 - 1.
local root, account, credits = KEYS[1], ARGV[1], tonumber(ARGV[2])
local id, digest = ARGV[6], ARGV[7]
if is_too_many(root, account, credits) then return 'too_many' end
-- The credits come last: Redis takes nothing back where a script fails.
for name, value in pairs(cjson.decode(ARGV[8])) do
  redis.call('HSET', root .. ':key:' .. digest, name, value)
end
redis.call('HSET', root .. ':key-ids', id, digest)
grant(root, account, credits, ARGV[3], ARGV[4], ARGV[5])
return 'done'
