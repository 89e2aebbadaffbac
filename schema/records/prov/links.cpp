// The relations of PROV documents as edges.
#include "schema/records/prov/relations.hpp"
#include "schema/records/prov/rules.hpp"
#include "schema/types/link.hpp"
#include "schema/types/ref.hpp"

#include <cstdint>
#include <map>
#include <utility>

namespace whence::schema {
namespace {

/// Calls `visit(type, ref, place, relation)` for each thing that a relation leads to, in their order, until it returns
/// false.
template <class Visit>
void for_each_object(ProvNode const& node, Visit const& visit) {
  if (!node.relations) return;
  for (std::size_t i = 0; i < node.relations->size(); ++i) {
    ProvRelation const& relation = (*node.relations)[i];
    auto const* const row = find_prov_relation(relation.relation);
    if (row == nullptr) continue;
    auto const item = static_cast<std::uint32_t>(i);
    if (relation.other && !visit(row->edge, *relation.other, LinkPlace{"relations", item, "other"}, relation)) return;
    for (auto const* const list : {&relation.others, &relation.further}) {
      if (!*list) continue;
      auto const* const member = list == &relation.others ? "others" : "further";
      for (std::string const& each : **list) {
        if (!visit(row->edge, each, LinkPlace{"relations", item, member}, relation)) return;
      }
    }
  }
}

/// How a derivation is known, where it says so: in `whence:basis`, as exports write it.
Basis basis_of(EdgeType type, ProvRelation const& relation) {
  constexpr std::string_view member = R"("whence:basis":")";
  if (!has_basis_variants(type)) return Basis::given;
  auto const& text = relation.attributes.json;
  auto const at = text.find(member);
  if (at == std::string::npos) return Basis::given;
  auto const begin = at + member.size();
  return find_named<Basis>(std::string_view{text}.substr(begin, text.find('"', begin) - begin)).value_or(Basis::given);
}

/// The edges of one record. A record of ours that a relation names may be unknown: the document comes from elsewhere.
class Relations {
 public:
  explicit Relations(std::size_t count) { links_.reserve(count); }

  void add(EdgeType type, std::string const& other, LinkPlace place, ProvRelation const& relation) {
    auto ref = parse_ref(other);
    if (!ref) return;  // reported by the check of its members
    auto const number = counts_[{type, other}]++;
    links_.push_back({with_basis(type, basis_of(type, relation)),
                      ref->type,
                      {},
                      true,
                      static_cast<double>(number),
                      place,
                      is_prov(ref->type),
                      std::move(ref->id)});
  }

  [[nodiscard]] std::vector<Link> take() { return std::move(links_); }

 private:
  std::vector<Link> links_;
  std::map<std::pair<EdgeType, std::string_view>, std::uint32_t> counts_;
};

}  // namespace

std::vector<Link> links(ProvNode const& node) {
  if (!node.relations) return {};
  Relations relations(node.relations->size());
  for_each_object(node, [&](EdgeType type, std::string const& other, LinkPlace place, ProvRelation const& relation) {
    relations.add(type, other, place, relation);
    return true;
  });
  return relations.take();
}

ProvRelation const* find_relation(ProvNode const& node, EdgeType type, std::string_view other, double number) {
  ProvRelation const* found = nullptr;
  double before = 0;
  for_each_object(node, [&](EdgeType each, std::string const& ref, LinkPlace, ProvRelation const& relation) {
    if (each != named_type(type) || ref != other || before++ != number) return true;
    found = &relation;
    return false;
  });
  return found;
}

}  // namespace whence::schema
