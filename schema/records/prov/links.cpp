// The relations of PROV documents as edges.
#include "schema/edges/link.hpp"
#include "schema/records/prov/relations.hpp"
#include "schema/records/prov/rules.hpp"
#include "schema/records/ref.hpp"

#include <utility>

namespace whence::schema {
namespace {

/// The edge of one relation to one object. A record of ours that it names may be unknown: the document comes from
/// elsewhere.
void append_relation(EdgeType type, std::string const& other, std::size_t place, std::vector<Link>& result) {
  auto ref = parse_ref(other);
  if (!ref) return;  // reported by the check of its members
  result.push_back({type,
                    ref->type,
                    {},
                    true,
                    static_cast<double>(place),
                    {"relations", static_cast<std::uint32_t>(place), "other"},
                    is_prov(ref->type),
                    std::move(ref->id)});
}

}  // namespace

std::vector<Link> links(ProvNode const& node) {
  std::vector<Link> result;
  if (!node.relations) return result;
  result.reserve(node.relations->size());
  for (std::size_t i = 0; i < node.relations->size(); ++i) {
    ProvRelation const& relation = (*node.relations)[i];
    auto const* const row = find_prov_relation(relation.relation);
    if (row == nullptr) continue;
    if (relation.other) append_relation(row->edge, *relation.other, i, result);
    if (!relation.others) continue;
    for (std::string const& other : *relation.others) append_relation(row->edge, other, i, result);
  }
  return result;
}

}  // namespace whence::schema
