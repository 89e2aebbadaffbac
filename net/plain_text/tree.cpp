// Trees of box-drawing characters.

#include "net/plain_text/tree.hpp"

#include "net/plain_text/cell.hpp"
#include "net/plain_text/shown.hpp"
#include "schema/edges/edge_type.hpp"
#include "schema/records/record_type.hpp"
#include "schema/records/ref.hpp"

#include <algorithm>
#include <optional>
#include <set>
#include <vector>

#include <boost/json/object.hpp>

namespace whence::net::plain_text {
namespace {

namespace json = boost::json;

struct Cause {
  std::string ref;
  std::string type;
  std::string weight;  ///< or confidence, as shown; empty: the edge has neither
  double strength;     ///< 1 without either
};
using Causes = std::map<std::string, std::vector<Cause>, std::less<>>;

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

Causes causes_of(json::array const& edges) {
  Causes causes;
  for (json::value const& item : edges) {
    if (!item.is_object()) continue;
    json::object const& edge = item.get_object();
    std::optional<bool> const is_from = is_from_cause(edge);
    if (!is_from) continue;
    std::string_view const share = edge.contains("weight") ? "weight" : "confidence";
    json::value const* const weight = edge.if_contains(share);
    bool const is_weighted = weight != nullptr && weight->is_number();
    causes[cell(edge, *is_from ? "to" : "from")].push_back({.ref = cell(edge, *is_from ? "from" : "to"),
                                                            .type = cell(edge, "type"),
                                                            .weight = is_weighted ? cell(edge, share) : std::string{},
                                                            .strength = is_weighted ? weight->to_number<double>() : 1});
  }
  for (auto& entry : causes) {
    std::sort(entry.second.begin(), entry.second.end(), [](Cause const& a, Cause const& b) {
      return a.strength != b.strength ? a.strength > b.strength : a.ref < b.ref;
    });
  }
  return causes;
}

class TreeWriter {
 public:
  TreeWriter(Causes const& causes, NodeNotes const& notes) : causes_(causes), notes_(notes) {}

  void write(std::string_view ref, std::string const& indent) {
    auto const found = causes_.find(ref);
    bool const is_again = found != causes_.end() && !expanded_.insert(std::string{ref}).second;
    auto const note = notes_.find(ref);
    out += shown(ref);
    if (note != notes_.end() && !note->second.empty()) out += "  " + shown(note->second);
    out += is_again ? "  (see above)\n" : "\n";
    if (found == causes_.end() || is_again) return;
    for (Cause const& cause : found->second) {
      bool const is_last = &cause == &found->second.back();
      out += indent + (is_last ? "\u2514\u2500 " : "\u251c\u2500 ") + cause.type + ' ';
      if (!cause.weight.empty()) out += cause.weight + ' ';
      write(cause.ref, indent + (is_last ? "   " : "\u2502  "));
    }
  }

  std::string out;

 private:
  Causes const& causes_;
  NodeNotes const& notes_;
  std::set<std::string, std::less<>> expanded_;
};

}  // namespace

std::string render_tree(std::string_view root, json::array const& edges, NodeNotes const& notes) {
  Causes const causes = causes_of(edges);
  TreeWriter writer{causes, notes};
  writer.write(root, "");
  return std::move(writer.out);
}

}  // namespace whence::net::plain_text
