#pragma once
// The params of the methods about bad answers and their sources, and their members on the wire.

#include "queries/view/params.hpp"
#include "schema/types/named_enum.hpp"

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace whence::queries {

/// Responses one `impact.blame` may name.
inline constexpr std::size_t blame_responses_max = 10'000;

/// What suspects are ranked by, largest first: the lower end of the interval of their lift, their share in the bad
/// answers, or how many bad answers rest on them.
enum class BlameOrder : std::uint8_t { lower, share, bad };
constexpr std::array<std::string_view, 3> enum_names(BlameOrder) noexcept {
  return {"lower", "share", "bad"};
}

/// Who is suspected. `sources` are units, chunks and documents; `tools`, `agents` and `models` go by their names.
enum class BlameOf : std::uint8_t { sources, units, chunks, documents, tools, agents, models, prompts, questions };
constexpr std::array<std::string_view, 9> enum_names(BlameOf) noexcept {
  return {"sources", "units", "chunks", "documents", "tools", "agents", "models", "prompts", "questions"};
}

struct BlameParams {
  std::optional<std::vector<NodeRef>> responses = {};
  std::optional<double> score_below = {};
  BlameOf of = BlameOf::sources;
  std::optional<AsOf> since = {};
  std::optional<std::string> agent = {};
  std::optional<std::string> model = {};
  std::optional<std::string> topic = {};  ///< bare or `Topic:` ref
  BlameOrder order = BlameOrder::lower;
  std::vector<Include> include = {};
  std::optional<std::vector<schema::Basis>> basis = {};
};

struct WithoutParams {
  std::vector<NodeRef> refs = {};
  bool alternatives = true;
  bool sets = false;
  std::vector<Include> include = {};
  std::optional<std::vector<schema::Basis>> basis = {};
};

struct ReplayPlanParams {
  std::vector<NodeRef> refs = {};
  bool mended = false;
  std::vector<Include> include = {};
  std::optional<std::vector<schema::Basis>> basis = {};
};

struct StaleParams {
  std::optional<NodeRef> ref = {};
  std::vector<Include> include = {};
  std::optional<std::vector<schema::Basis>> basis = {};
};

}  // namespace whence::queries

namespace whence::schema {

template <>
struct Describe<queries::BlameParams> {
  using T = queries::BlameParams;
  static constexpr auto fields = std::tuple{
      field("responses", &T::responses, Presence::optional, rules::items(1, queries::blame_responses_max),
            "Responses and answers that are bad; only what they rest on is suspected."),
      field("score_below", &T::score_below, Presence::optional, rules::any(),
            "Bad are responses and answers whose mean score is below this; 0 where not given."),
      field("of", &T::of, Presence::optional, rules::any(),
            "Who is suspected: sources (units, chunks, documents) where not given."),
      field("since", &T::since, Presence::optional, rules::any(),
            "Compares only responses and answers from this moment on."),
      field("agent", &T::agent, Presence::optional, rules::any(), "Compares only responses of this agent."),
      field("model", &T::model, Presence::optional, rules::any(), "Compares only responses of this model."),
      field("topic", &T::topic, Presence::optional, rules::any(), "Compares only responses in this topic."),
      field("order", &T::order, Presence::optional, rules::any(),
            "What ranks the suspects: lower, share or bad, largest first."),
      field("include", &T::include, Presence::optional, rules::any(), "What to add to each node."),
      field("basis", &T::basis, Presence::optional, queries::basis_rule, queries::basis_doc),
  };
};

template <>
struct Describe<queries::WithoutParams> {
  using T = queries::WithoutParams;
  static constexpr auto fields = std::tuple{
      field("refs", &T::refs, Presence::required, queries::refs_rule, "The nodes that are taken away."),
      field("alternatives", &T::alternatives, Presence::optional, rules::any(),
            "false: without the other sources of the answers, which cost more than all else."),
      field("sets", &T::sets, Presence::optional, rules::any(),
            "Adds to each answer the least sets of sources, of at most three, without which it has no support."),
      field("include", &T::include, Presence::optional, rules::any(), "What to add to each node."),
      field("basis", &T::basis, Presence::optional, queries::basis_rule, queries::basis_doc),
  };
};

template <>
struct Describe<queries::ReplayPlanParams> {
  using T = queries::ReplayPlanParams;
  static constexpr auto fields = std::tuple{
      field("refs", &T::refs, Presence::required, queries::refs_rule, "The nodes that are taken away."),
      field("mended", &T::mended, Presence::optional, rules::any(),
            "Puts the newest version of each node in its place, where there is one, instead of taking it away."),
      field("include", &T::include, Presence::optional, rules::any(), "What to add to each node."),
      field("basis", &T::basis, Presence::optional, queries::basis_rule, queries::basis_doc),
  };
};

template <>
struct Describe<queries::StaleParams> {
  using T = queries::StaleParams;
  static constexpr auto fields = std::tuple{
      field("ref", &T::ref, Presence::optional, rules::any(),
            "An answer, whose sources are looked at, or a source, whose answers are; all sources where not given."),
      field("include", &T::include, Presence::optional, rules::any(), "What to add to each node."),
      field("basis", &T::basis, Presence::optional, queries::basis_rule, queries::basis_doc),
  };
};

}  // namespace whence::schema
