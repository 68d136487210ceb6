-- Adds credits to an account, which it makes when it is new. The change and its ledger entry are one step.
-- KEYS[1] root   ARGV: account, credits (0 only makes the account), note, token of this call, token ttl ms
-- Sending the same call again, after a lost connection, adds nothing.
-- @include "money.lua"
local root, account, credits = KEYS[1], ARGV[1], tonumber(ARGV[2])
redis.call('SADD', root .. ':accounts', account)
if credits > 0 and redis.call('SET', root .. ':grant:' .. ARGV[4], '1', 'NX', 'PX', ARGV[5]) then
  record_change(root, account, { type = 'grant', balance = credits, held = 0, usage = 0, note = ARGV[3] })
end
return credits
