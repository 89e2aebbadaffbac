#pragma once
// lineage.stale: what changed since an answer was made, and which answers rest on what changed.

#include "graph/walks/walk.hpp"
#include "queries/impact/citation_check.hpp"
#include "queries/impact/params.hpp"
#include "queries/view/incomplete.hpp"
#include "queries/view/view.hpp"
#include "schema/base/error.hpp"
#include "schema/types/named_enum.hpp"

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace whence::queries {

/// Why a source is not what it was.
enum class StaleReason : std::uint8_t {
  updated,     ///< it has a newer version
  deprecated,  ///< its ratings made it so
  expired,     ///< its content is gone
  purged,      ///< likewise, since somebody asked for it
  deleted,
  changed,  ///< its document has another text at its place, or was loaded from something newer
};
constexpr std::array<std::string_view, 6> enum_names(StaleReason) noexcept {
  return {"updated", "deprecated", "expired", "purged", "deleted", "changed"};
}

struct StaleSource {
  VertexId vertex;
  std::vector<StaleReason> reasons;    ///< at least one, in the order above
  std::optional<VertexId> newer = {};  ///< the newest version, or what took its place
};

/// What became of a quote.
struct CheckedCitation {
  std::size_t number;  ///< in the answer's list, from 1
  std::string document_name;
  std::optional<VertexId> chunk = {};   ///< what it is from; nothing where that is not known
  std::optional<QuoteCheck> then = {};  ///< in the text as it was for the answer; nothing where that is gone
  std::optional<QuoteCheck> now = {};   ///< in what took its place, where something did
};

struct Stale {
  std::vector<StaleSource> sources = {};        ///< by ref
  std::vector<VertexId> answers = {};           ///< asked of a source: those that rest on it as it was; by ref
  std::vector<CheckedCitation> citations = {};  ///< asked of an answer with citations
  std::vector<graph::CutRelation> cut = {};     ///< relations that a cycle of influence kept the walk from following
  Incomplete incomplete = Incomplete::no;
};

/// Of a response, an answer or anything made: the sources among its ancestors that changed; a version is stale only
/// where none of its successors is among the ancestors, too. Of a source (a unit, a chunk, a document with its chunks,
/// a message): that, where it changed, and the responses and answers that rest on it and not on what is newer, an act
/// once. Without `ref`: all sources that are updated, deprecated or gone and that a response or an answer rests on
/// otherwise than through another version of theirs; O(V + E) at most.
/// Fails with `not_found` at "/ref", with `corrupt`, or as the interrupt says. O(V + E) of the part reached; chunks of
/// the documents of an answer are read.
[[nodiscard]] Result<Stale> lineage_stale(View const& view, StaleParams const& params, Budget const& budget);

}  // namespace whence::queries
