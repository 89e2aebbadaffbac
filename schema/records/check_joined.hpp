#pragma once
// The rules that join members of one record: an overload per record type that has any, in the file of its seed.

#include "schema/records/check.hpp"
#include "schema/records/records.hpp"
#include "schema/base/report.hpp"

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_set>

namespace whence::schema {

/// Calls `at_place(i, id)` for each item whose id stands in `list` before.
template <class List, class IdOf, class AtPlace>
void check_distinct(List const& list, IdOf id_of_item, AtPlace at_place) {
  std::unordered_set<std::string_view> seen;
  for (std::size_t i = 0; i < list.size(); ++i) {
    std::string_view const id = id_of_item(list[i]);
    // An empty id is a default for a missing one, which is reported already.
    if (!id.empty() && !seen.insert(id).second) at_place(i, id);
  }
}

/// 64 lower-case hex digits, where given. Rule "hash".
void check_hash(std::optional<std::string> const& hash, Path const& at, Report& report);

// S2, in check_discussion.cpp. Rules "persona", "turn", "blank", "rounds".
void prepare(DiscussionRound& round);
void check_joined(DiscussionRound const& round, CheckContext const& context, Path const& root, Report& report);
void check_joined(SummaryEntry const& summary, CheckContext const& context, Path const& root, Report& report);

// S4, in check_rag.cpp. Rules "request_id", "zero_vector", "model_name", "dimension", "hash", "duplicate_chunk",
// "citations".
void prepare(Query& query);
void prepare(Answer& answer, CheckContext const& context);
void check_joined(Document const& document, CheckContext const& context, Path const& root, Report& report);
void check_joined(RetrievedChunk const& chunk, CheckContext const& context, Path const& root, Report& report);
void check_joined(EmbeddingVector const& embedding, CheckContext const& context, Path const& root, Report& report);
void check_joined(PromptContext const& prompt, CheckContext const& context, Path const& root, Report& report);
void check_joined(Citation const& citation, CheckContext const& context, Path const& root, Report& report);
void check_joined(Answer const& answer, CheckContext const& context, Path const& root, Report& report);

// PROV, in check_prov.cpp, for all three kinds. Rules "required", "declared", "bundle", "relation", "ref",
// "other_twice", "place", "type".
void prepare(ProvNode& node);
void check_joined(ProvNode const& node, CheckContext const& context, Path const& root, Report& report);

}  // namespace whence::schema
