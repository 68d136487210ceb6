-- Adds credits to an account, which is created if it is new. The change and its ledger entry are one step.
-- KEYS[1] root   ARGV: account, credits (0 only makes the account; negative ones are withdrawn), note, token, token ttl ms
-- A token that was used before changes nothing, so that a repeated call does not grant or withdraw twice.
-- @include "money.lua"
-- Answers 'done'; or changes nothing and answers 'too_many' when the balance would exceed 2^53 - 1, 'too_few' when more
-- were to be withdrawn than are available: what is held for a job stays.
local root, account, credits = KEYS[1], ARGV[1], tonumber(ARGV[2])
if redis.call('EXISTS', root .. ':grant:' .. ARGV[4]) == 1 then return 'done' end
if is_too_many(root, account, credits) then return 'too_many' end
local available = account_number(root, account, 'balance') - account_number(root, account, 'held')
if available + credits < 0 then return 'too_few' end
grant(root, account, credits, ARGV[3], ARGV[4], ARGV[5])
return 'done'
