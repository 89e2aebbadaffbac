#pragma once
// The context of a check, and the checks that several record types share.

#include "schema/base/digest.hpp"
#include "schema/base/report.hpp"
#include "schema/base/time.hpp"
#include "schema/checks/embedding_models.hpp"
#include "schema/types/named_enum.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string_view>
#include <unordered_set>
#include <vector>

namespace whence::schema {

/// How records are taken.
enum class Mode : std::uint8_t {
  strict,   ///< what breaks a rule of the contract is refused
  capture,  ///< what really happened is recorded; where it breaks such a rule it is flagged (flags.hpp)
};
constexpr std::array<std::string_view, 2> enum_names(Mode) noexcept {
  return {"strict", "capture"};
}

/// The values that checks compare a record with.
struct CheckContext {
  Time latest_time;                 ///< now plus the tolerance: a later record time is refused (rule "future")
  EmbeddingModels embeddings = {};  ///< whose embeddings are accepted
  Mode mode = Mode::strict;
  SecretKey id_key = {};  ///< of ids that are made from texts
};

/// |sum - 1| <= 0.01 + 1e-9, in binary64.
[[nodiscard]] bool is_weight_sum(double sum) noexcept;

/// 64 lower-case hex digits, where given. Rule "hash".
void check_hash(std::optional<std::string> const& hash, Path const& at, Report& report);

/// Whether two items of `list` may have the same id; false is certain. Nearly every list has none twice, and its sorted
/// hashes show that in a third of the time of a set of the ids.
template <class List, class IdOf>
bool may_repeat(List const& list, IdOf id_of_item) {
  std::vector<std::size_t> hashes;
  hashes.reserve(list.size());
  for (auto const& item : list) hashes.push_back(std::hash<std::string_view>{}(id_of_item(item)));
  std::ranges::sort(hashes);
  return std::ranges::adjacent_find(hashes) != hashes.end();
}

/// Calls `at_place(i, id)` for each item of `list` whose id an earlier item has.
template <class List, class IdOf, class AtPlace>
void check_distinct(List const& list, IdOf id_of_item, AtPlace at_place) {
  if (!may_repeat(list, id_of_item)) return;
  std::unordered_set<std::string_view> seen;
  for (std::size_t i = 0; i < list.size(); ++i) {
    std::string_view const id = id_of_item(list[i]);
    // An empty id is a default for a missing one, which is reported already.
    if (!id.empty() && !seen.insert(id).second) at_place(i, id);
  }
}

}  // namespace whence::schema
