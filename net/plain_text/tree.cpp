// Trees of box-drawing characters.

#include "net/plain_text/tree.hpp"

#include "net/plain_text/cell.hpp"
#include "net/plain_text/shown.hpp"
#include "schema/types/edge_type.hpp"
#include "schema/types/record_type.hpp"
#include "schema/types/ref.hpp"

#include <algorithm>
#include <optional>
#include <set>
#include <vector>

#include <boost/json/object.hpp>

namespace whence::net::plain_text {
namespace {

namespace json = boost::json;

struct Neighbour {
  std::string ref;
  std::string type;
  std::string weight;  ///< or confidence, as shown; empty: the edge has neither
  double strength;     ///< 1 without either
};
using Neighbours = std::map<std::string, std::vector<Neighbour>, std::less<>>;

/// Whether the `from` end of the stored direction is the cause; nothing if the edge carries no influence or its type is
/// unknown.
std::optional<bool> is_from_cause(json::object const& edge) {
  auto const type = schema::find_edge_type(cell(edge, "type"));
  auto const from = schema::parse_ref(cell(edge, "from"));
  if (!type || !from) return std::nullopt;
  schema::Influence const influence = schema::influence_of(*type, from->type);
  if (influence == schema::Influence::none) return std::nullopt;
  return influence == schema::Influence::along;
}

/// What is listed below each node: its causes, or its effects.
Neighbours neighbours_in(json::array const& edges, bool are_effects) {
  Neighbours neighbours;
  for (json::value const& item : edges) {
    if (!item.is_object()) continue;
    json::object const& edge = item.get_object();
    std::optional<bool> const is_cause = is_from_cause(edge);
    if (!is_cause) continue;
    bool const is_from_below = *is_cause != are_effects;
    std::string_view const share = edge.contains("weight") ? "weight" : "confidence";
    json::value const* const weight = edge.if_contains(share);
    bool const is_weighted = weight != nullptr && weight->is_number();
    neighbours[cell(edge, is_from_below ? "to" : "from")].push_back(
        {.ref = cell(edge, is_from_below ? "from" : "to"),
         .type = cell(edge, "type"),
         .weight = is_weighted ? cell(edge, share) : std::string{},
         .strength = is_weighted ? weight->to_number<double>() : 1});
  }
  for (auto& entry : neighbours) {
    std::sort(entry.second.begin(), entry.second.end(), [](Neighbour const& a, Neighbour const& b) {
      return a.strength != b.strength ? a.strength > b.strength : a.ref < b.ref;
    });
  }
  return neighbours;
}

constexpr std::string_view faint = "\x1b[2m";
constexpr std::string_view warning = "\x1b[31m";
constexpr std::string_view plain = "\x1b[0m";

struct GroupColour {
  std::string_view group;
  std::string_view colour;
};
/// Colour means one thing: the group of the node's type.
constexpr GroupColour group_colours[] = {{"context", "\x1b[34m"},   {"response", "\x1b[32m"}, {"answer", "\x1b[32m"},
                                         {"retrieval", "\x1b[36m"}, {"message", "\x1b[35m"},  {"extracted", "\x1b[33m"},
                                         {"discussion", "\x1b[95m"}};

std::string_view colour_of(std::string_view ref) {
  auto const parsed = schema::parse_ref(ref);
  if (!parsed) return {};
  for (GroupColour const& row : group_colours) {
    if (row.group == schema::info(parsed->type).group) return row.colour;
  }
  return {};
}

class TreeWriter {
 public:
  TreeWriter(Neighbours const& neighbours, NodeNotes const& notes, TreeForm const& form)
      : neighbours_(neighbours), notes_(notes), form_(form) {}

  void write(std::string_view ref, Neighbour const* edge, std::string const& branch, std::string const& indent) {
    auto const found = neighbours_.find(ref);
    auto const hidden = form_.hidden.find(ref);
    bool const has_more = found != neighbours_.end() || hidden != form_.hidden.end();
    bool const is_again = has_more && !expanded_.insert(std::string{ref}).second;
    add_line(ref, edge, branch, is_again);
    if (!has_more || is_again) return;
    static std::vector<Neighbour> const none;
    std::vector<Neighbour> const& below = found != neighbours_.end() ? found->second : none;
    std::size_t const listed = std::min(below.size(), form_.breadth_max);
    std::uint64_t const left_out = below.size() - listed + (hidden != form_.hidden.end() ? hidden->second : 0);
    for (std::size_t i = 0; i < listed; ++i) {
      bool const is_last = i + 1 == listed && left_out == 0;
      write(below[i].ref, &below[i], indent + (is_last ? "\u2514\u2500 " : "\u251c\u2500 "),
            indent + (is_last ? "   " : "\u2502  "));
    }
    if (left_out == 0) return;
    std::string const count = (listed == 0 ? "" : "and ") + grouped(left_out) + " more";
    out += painted(indent + "\u2514\u2500 ", faint) + painted(count, faint) + "\n";
  }

  std::string out;

 private:
  [[nodiscard]] std::string painted(std::string_view text, std::string_view colour) const {
    if (!form_.has_colour || colour.empty() || text.empty()) return std::string{text};
    return std::string{colour}.append(text).append(plain);
  }

  void add_line(std::string_view ref, Neighbour const* edge, std::string const& branch, bool is_again) {
    std::string type = edge == nullptr ? std::string{} : edge->type + ' ';
    if (edge != nullptr && !edge->weight.empty()) type += edge->weight + ' ';
    std::string const name = shown(ref);
    auto const mark = form_.marks.find(ref);
    std::string end = mark == form_.marks.end() ? std::string{} : "  [" + shown(mark->second) + "]";
    if (is_again) end += "  (see above)";
    auto const found = notes_.find(ref);
    std::string note = found == notes_.end() ? std::string{} : shown(found->second);
    if (!note.empty() && form_.columns > 0) {
      std::size_t const used = display_width(branch + type + name + end) + 2;
      note = form_.columns > used + note_columns_least ? fit(note, form_.columns - used) : std::string{};
    }
    out += painted(branch, faint) + painted(type, faint) + painted(name, colour_of(ref));
    if (!note.empty()) out += "  " + note;
    out += painted(end, mark == form_.marks.end() ? faint : warning) + "\n";
  }

  static constexpr std::size_t note_columns_least = 8;  ///< less says nothing

  Neighbours const& neighbours_;
  NodeNotes const& notes_;
  TreeForm const& form_;
  std::set<std::string, std::less<>> expanded_;
};

}  // namespace

std::string render_tree(std::string_view root, json::array const& edges, NodeNotes const& notes, TreeForm const& form) {
  Neighbours const neighbours = neighbours_in(edges, form.has_effects_below);
  TreeWriter writer{neighbours, notes, form};
  writer.write(root, nullptr, "", "");
  return std::move(writer.out);
}

}  // namespace whence::net::plain_text
