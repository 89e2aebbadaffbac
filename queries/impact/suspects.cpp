// Sorting causes into suspects.

#include "queries/impact/suspects.hpp"

#include "queries/find/field_values.hpp"
#include "queries/impact/source_kinds.hpp"
#include "schema/base/poll.hpp"

#include <string_view>
#include <utility>
#include <variant>

namespace whence::queries {

using schema::RecordType;

namespace {

constexpr std::string_view tool_prefix = "tool:";

/// Whether a unit with this source is a suspect of the kind.
bool is_of(BlameOf of, std::string_view source) noexcept {
  switch (of) {
    case BlameOf::prompts:
      return is_instruction(source);
    case BlameOf::questions:
      return is_question(source);
    case BlameOf::tools:
      return source.starts_with(tool_prefix);
    default:
      return !is_instruction(source) && !is_question(source);
  }
}

/// Whether nodes of the type are suspects of the kind, units besides.
bool is_of(BlameOf of, RecordType type) noexcept {
  switch (of) {
    case BlameOf::sources:
      return type == RecordType::retrieved_chunk || type == RecordType::document;
    case BlameOf::chunks:
      return type == RecordType::retrieved_chunk;
    case BlameOf::documents:
      return type == RecordType::document;
    case BlameOf::prompts:
      return type == RecordType::system_prompt_template;
    case BlameOf::questions:
      return type == RecordType::query;
    default:
      return false;
  }
}

bool are_units_of(BlameOf of) noexcept {
  return of == BlameOf::sources || of == BlameOf::units || of == BlameOf::tools || of == BlameOf::prompts ||
         of == BlameOf::questions;
}

}  // namespace

/// Makes the numbers.
class SuspectSearch {
 public:
  SuspectSearch(View const& view, BlameOf of, std::span<VertexId const> effects, graph::Reach const& reach,
                Budget const& budget)
      : view_{view}, of_{of}, effects_{effects}, reached_{reach.vertices}, poll_{budget.interrupt} {}

  Result<Suspects> run() {
    bool const is_maker = of_ == BlameOf::agents || of_ == BlameOf::models;
    made_.are_named_ = is_maker || of_ == BlameOf::tools;
    made_.causes_.assign(reached_.size(), Suspects::none);
    if (is_maker) {
      made_.answers_.assign(effects_.size(), Suspects::none);
      auto const field = of_ == BlameOf::agents ? "agent" : "model";
      for (auto [vertices, numbers] : {std::pair{reached_, &made_.causes_}, std::pair{effects_, &made_.answers_}}) {
        auto const read = read_texts(RecordType::response, field, vertices,
                                     [&, into = numbers](auto place, auto text) { (*into)[place] = number_of(text); });
        if (!read) return read.error();
      }
      return std::move(made_);
    }
    for (std::uint32_t place = 0; place < reached_.size(); ++place) {
      if (is_of(of_, view_.snapshot.type(reached_[place]))) add(place);
    }
    if (!are_units_of(of_)) return std::move(made_);
    auto const read = read_texts(RecordType::context_unit, "source", reached_, [&](auto place, auto source) {
      if (!is_of(of_, source)) return;
      if (of_ == BlameOf::tools) {
        made_.causes_[place] = number_of(source.substr(tool_prefix.size()));
      } else {
        add(place);
      }
    });
    if (!read) return read.error();
    return std::move(made_);
  }

 private:
  void add(std::uint32_t place) {
    made_.causes_[place] = static_cast<std::uint32_t>(made_.vertices_.size());
    made_.vertices_.push_back(reached_[place]);
  }

  std::uint32_t number_of(std::string_view name) {
    auto const next = static_cast<std::uint32_t>(made_.names_.size());
    auto const [found, is_new] = made_.numbers_.try_emplace(std::string(name), next);
    if (is_new) made_.names_.push_back(&found->first);
    return found->second;
  }

  /// Calls `take(place, text)` for each of `vertices` of `type`; the text of what is gone is what its edges say of it.
  template <class Take>
  Result<void> read_texts(RecordType type, std::string_view field, std::span<VertexId const> vertices,
                          Take const& take) {
    std::vector<VertexId> of_type;
    std::vector<std::uint32_t> places;
    for (std::uint32_t place = 0; place < vertices.size(); ++place) {
      if (view_.snapshot.type(vertices[place]) != type) continue;
      of_type.push_back(vertices[place]);
      places.push_back(place);
    }
    return read_field(view_, *find_search_field(type, field), of_type, poll_,
                      [&](std::size_t i, std::optional<Value> const& value) {
                        auto const* const text = value ? std::get_if<std::string_view>(&*value) : nullptr;
                        if (text == nullptr && made_.are_named_) return;  // its name is not known
                        take(places[i], text == nullptr ? source_of_gone(view_.snapshot, of_type[i]) : *text);
                      });
  }

  View const& view_;
  BlameOf of_;
  std::span<VertexId const> effects_;
  std::span<VertexId const> reached_;
  schema::Poll poll_;
  Suspects made_ = {};
};

Result<Suspects> find_suspects(View const& view, BlameOf of, std::span<VertexId const> effects,
                               graph::Reach const& reach, Budget const& budget) {
  return SuspectSearch(view, of, effects, reach, budget).run();
}

}  // namespace whence::queries
