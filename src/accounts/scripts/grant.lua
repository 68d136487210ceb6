-- Adds credits to an account, which is created if it is new. The change and its ledger entry are one step.
-- KEYS[1] root   ARGV: account, credits (0 only makes the account), note, token, token ttl ms
-- A token that was used before adds nothing, so that a repeated call does not grant twice.
-- @include "money.lua"
-- Answers the credits; or -1, and changes nothing, when the balance would exceed 2^53 - 1.
local root, account, credits = KEYS[1], ARGV[1], tonumber(ARGV[2])
if account_number(root, account, 'balance') + credits > 9007199254740991 then return -1 end
redis.call('SADD', root .. ':accounts', account)
if credits > 0 and redis.call('SET', root .. ':grant:' .. ARGV[4], '1', 'NX', 'PX', ARGV[5]) then
  record_change(root, account, { type = 'grant', balance = credits, held = 0, usage = 0, note = ARGV[3] })
  count(root, 'granted', credits)
end
return credits
