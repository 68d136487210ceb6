-- Adds credits to an account, which is created if it is new. The change and its ledger entry are one step.
-- KEYS[1] root   ARGV: account, credits (0 only makes the account), note, token, token ttl ms
-- A token that was used before adds nothing, so that a repeated call does not grant twice.
-- @include "money.lua"
-- Answers the credits; or -1, and changes nothing, when the balance would exceed 2^53 - 1.
local root, account, credits = KEYS[1], ARGV[1], tonumber(ARGV[2])
if is_too_many(root, account, credits) then return -1 end
grant(root, account, credits, ARGV[3], ARGV[4], ARGV[5])
return credits
