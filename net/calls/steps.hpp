#pragma once
// Writes whose records the engine makes from what is there: those of `discussion.`, `unit.update` and `rag.answer`
// between their params and the engine's steps, and back.

#include "engine/values/batch.hpp"
#include "engine/values/write_answer.hpp"
#include "net/rpc/envelope.hpp"

#include <string>

namespace whence::net {

// Each fails with `invalid_params` naming every wrong member; the engine validates what depends on the state.

[[nodiscard]] Result<WriteRequest> parse_open(Request const& request);
[[nodiscard]] Result<WriteRequest> parse_add_response(Request const& request);
[[nodiscard]] Result<WriteRequest> parse_round_answer(Request const& request);
[[nodiscard]] Result<WriteRequest> parse_discussion_set(Request const& request);
[[nodiscard]] Result<WriteRequest> parse_abandon(Request const& request);
[[nodiscard]] Result<WriteRequest> parse_summarize(Request const& request);
[[nodiscard]] Result<WriteRequest> parse_unit_update(Request const& request);
[[nodiscard]] Result<WriteRequest> parse_answer(Request const& request);

// Steps of discussions have `warnings` too, where there are any.

/// Appends `tx`, `ref`, `roundNumber`, `next`, `turn`.
void write_opened(std::string& out, engine::WriteAnswer const& answer);
/// Appends `tx`, `ref`, `roundNumber`, `turn`, `complete`, `next`, which is null after the last.
void write_added(std::string& out, engine::WriteAnswer const& answer);
/// Appends `tx`, `ref`, `roundNumber`, and `unchanged` where it had them.
void write_round_answered(std::string& out, engine::WriteAnswer const& answer);
/// Appends `tx`, `ref`, and `unchanged` where it was so.
void write_discussion_set(std::string& out, engine::WriteAnswer const& answer);
/// Appends `tx`, `ref` of the discussion.
void write_abandoned(std::string& out, engine::WriteAnswer const& answer);
/// Appends `tx`, `ref`, `roundNumber`, `replacesRounds`, `tokenCountBefore`, `tokenCountAfter`.
void write_summarized(std::string& out, engine::WriteAnswer const& answer);
/// Appends `tx`, `ref` of the new version, `version`.
void write_unit_updated(std::string& out, engine::WriteAnswer const& answer);
/// Appends `tx`, `ref`, `answer` as a retrieval record, `withheld` where its text was, and `unchanged`
/// where it was known.
void write_answered(std::string& out, engine::WriteAnswer const& answer);

}  // namespace whence::net
