// Members of records from PROV documents, one by one.
#include "schema/stored/prov.hpp"

#include "schema/stored/record_parts.hpp"

namespace whence::schema::stored {
namespace {

void fill(wire::ProvNode::Relation::Builder out, ProvRelation const& relation) {
  out.setName(text(relation.relation));
  if (relation.id) out.setId(text(*relation.id));
  if (relation.place) {
    BOOST_ASSERT(*relation.place >= 0 && *relation.place <= std::numeric_limits<std::int32_t>::max());
    out.setPlace(static_cast<std::int32_t>(*relation.place));
    out.setHasPlace(true);
  }
  if (relation.other) out.setOther(text(*relation.other));
  if (relation.others) fill_texts(out.initOthers(static_cast<unsigned>(relation.others->size())), *relation.others);
  if (relation.further) {
    fill_texts(out.initFurther(static_cast<unsigned>(relation.further->size())), *relation.further);
  }
  out.setAttributes(text(relation.attributes.json));
}

ProvRelation read(wire::ProvNode::Relation::Reader in) {
  ProvRelation relation{.relation = read_text(in.getName()),
                        .id = read_text(in.hasId(), in.getId()),
                        .other = read_text(in.hasOther(), in.getOther())};
  if (in.getHasPlace()) relation.place = read_count(in.getPlace());
  if (in.hasOthers()) relation.others = read_texts(in.getOthers());
  if (in.hasFurther()) relation.further = read_texts(in.getFurther());
  relation.attributes.json = read_text(in.getAttributes());
  return relation;
}

PrefixMap read(capnp::List<wire::ProvNode::Prefix>::Reader in) {
  PrefixMap prefixes;
  prefixes.entries.reserve(in.size());
  for (auto const each : in) prefixes.entries.emplace_back(read_text(each.getName()), read_text(each.getIri()));
  return prefixes;
}

}  // namespace

void fill(wire::ProvNode::Builder out, ProvNode const& node) {
  out.setQname(text(node.qname));
  if (node.attributes) out.setAttributes(text(node.attributes->json));
  if (node.bundle) out.setBundle(text(*node.bundle));
  if (node.bundle_iri) out.setBundleIri(text(*node.bundle_iri));
  if (node.prefixes) {
    auto const& entries = node.prefixes->entries;
    auto list = out.initPrefixes(static_cast<unsigned>(entries.size()));
    for (std::uint32_t i = 0; i < list.size(); ++i) {
      list[i].setName(text(entries[i].first));
      list[i].setIri(text(entries[i].second));
    }
  }
  out.setIsOnlyMentioned(node.is_declared == false);
  if (!node.relations) return;
  auto relations = out.initRelations(static_cast<unsigned>(node.relations->size()));
  for (std::uint32_t i = 0; i < relations.size(); ++i) fill(relations[i], (*node.relations)[i]);
}

void read(wire::ProvNode::Reader in, ProvNode& node) {
  node.qname = read_text(in.getQname());
  node.bundle = read_text(in.hasBundle(), in.getBundle());
  node.bundle_iri = read_text(in.hasBundleIri(), in.getBundleIri());
  if (in.hasAttributes()) node.attributes = ProvAttributes{read_text(in.getAttributes())};
  if (in.hasPrefixes()) node.prefixes = read(in.getPrefixes());
  if (in.getIsOnlyMentioned()) node.is_declared = false;
  if (!in.hasRelations()) return;
  auto& relations = node.relations.emplace();
  relations.reserve(in.getRelations().size());
  for (auto const each : in.getRelations()) relations.push_back(read(each));
}

}  // namespace whence::schema::stored
