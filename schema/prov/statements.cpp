// Statements of records from PROV documents.
#include "schema/prov/statements.hpp"

#include <boost/assert.hpp>

namespace whence::schema::json {
namespace {

std::string_view section_of(RecordType type) {
  switch (type) {
    case RecordType::prov_activity:
      return "activity";
    case RecordType::prov_agent:
      return "agent";
    default:
      return "entity";
  }
}

/// A blank name means nothing outside its document; what stood in its array are relations like others.
ProvStatement statement_of(ProvRelation const& relation, std::string_view bundle) {
  ProvStatement statement{.bundle = bundle, .section = relation.relation, .attributes = relation.attributes.json};
  if (!relation.id || relation.id->starts_with("_:")) return statement;
  statement.key = *relation.id;
  statement.place = relation.place;
  return statement;
}

}  // namespace

ProvNode const* prov_node_of(Record const& record) noexcept {
  if (auto const* const entity = std::get_if<ProvEntity>(&record)) return entity;
  if (auto const* const activity = std::get_if<ProvActivity>(&record)) return activity;
  return std::get_if<ProvAgent>(&record);
}

void for_each_prov_statement(Record const& record, std::function<void(ProvStatement const&)> const& visit) {
  auto const* const node = prov_node_of(record);
  BOOST_ASSERT(node != nullptr);
  std::string_view const bundle = node->bundle ? std::string_view{*node->bundle} : std::string_view{};
  if (node->attributes) {
    visit({.bundle = bundle,
           .section = section_of(type_of(record)),
           .key = node->qname,
           .place = std::nullopt,
           .attributes = node->attributes->json});
  }
  if (!node->relations) return;
  for (ProvRelation const& relation : *node->relations) visit(statement_of(relation, bundle));
}

std::optional<std::pair<std::string, std::string>> prov_bundle_prefix(ProvNode const& node) {
  if (!node.bundle || !node.bundle_iri || *node.bundle == *node.bundle_iri) return std::nullopt;
  auto const colon = node.bundle->find(':');
  bool const has_prefix = colon != std::string::npos;
  auto const local = has_prefix ? std::string_view{*node.bundle}.substr(colon + 1) : std::string_view{*node.bundle};
  if (!node.bundle_iri->ends_with(local)) return std::nullopt;
  return std::pair{has_prefix ? node.bundle->substr(0, colon) : std::string{"default"},
                   node.bundle_iri->substr(0, node.bundle_iri->size() - local.size())};
}

}  // namespace whence::schema::json
