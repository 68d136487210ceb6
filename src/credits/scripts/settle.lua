-- Ends a hold: captures up to what was held, or releases it all. A second time changes nothing.
-- KEYS[1] root   ARGV: account, id, credits (0 releases), lines (JSON)
-- Answers the credits captured now.
-- @include "money.lua"
return settle(KEYS[1], ARGV[1], ARGV[2], tonumber(ARGV[3]), ARGV[4])
