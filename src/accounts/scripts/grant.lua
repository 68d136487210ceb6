-- Adds credits to an account, which it makes when it is new. The change and its ledger entry are one step.
-- KEYS[1] root   ARGV: account, credits (0 only makes the account), note, token, token ttl ms
-- A token that came before adds nothing: a call is sent again after a lost connection, or by its caller.
-- @include "money.lua"
-- Answers the credits, or -1 for a balance of more than can be counted exactly, which changes nothing.
local root, account, credits = KEYS[1], ARGV[1], tonumber(ARGV[2])
if account_number(root, account, 'balance') + credits > 9007199254740991 then return -1 end
redis.call('SADD', root .. ':accounts', account)
if credits > 0 and redis.call('SET', root .. ':grant:' .. ARGV[4], '1', 'NX', 'PX', ARGV[5]) then
  record_change(root, account, { type = 'grant', balance = credits, held = 0, usage = 0, note = ARGV[3] })
end
return credits
