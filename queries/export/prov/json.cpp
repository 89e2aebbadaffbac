// PROV-JSON (W3C member submission): an object per kind of statement, written one after the other.

#include "queries/export/format.hpp"
#include "queries/export/prov/prov.hpp"
#include "schema/json/writer.hpp"

#include <memory>

namespace whence::exports {
namespace {

using schema::json::Writer;

std::string_view datatype_of(ProvValue::Type type) {
  switch (type) {
    case ProvValue::Type::name:
      return "prov:QUALIFIED_NAME";
    case ProvValue::Type::integer:
      return "xsd:long";
    case ProvValue::Type::real:
      return "xsd:double";
    case ProvValue::Type::time:
      return "xsd:dateTime";
    case ProvValue::Type::text:
      break;
  }
  return {};
}

void write_value(Writer& out, ProvValue const& value) {
  auto const type = datatype_of(value.type);
  if (type.empty()) {
    out.value(std::string_view(value.text));
    return;
  }
  out.begin_object().member("$", std::string_view(value.text)).member("type", type).end_object();
}

class ProvJsonWriter final : public ProvWriter {
 public:
  ProvJsonWriter() : ProvWriter({}) {}

 private:
  [[nodiscard]] std::string document_begin(std::span<ProvPrefix const> prefixes) override {
    std::string text = R"({"prefix":)";
    Writer out(text);
    out.begin_object();
    for (auto const& prefix : prefixes) out.member(prefix.name, std::string_view(prefix.iri));
    out.end_object();
    return text;
  }

  void write(ProvStatement const& statement, std::string& out) const override {
    begin_entry(statement.section, statement.place, statement.id, statement.relation, out);
    Writer json(out);
    json.begin_object();
    for (auto const& argument : statement.arguments) {
      if (!argument.value.empty()) json.member(argument.name, std::string_view(argument.value));
    }
    for (auto const& attribute : statement.attributes) write_value(json.key(attribute.name), attribute.value);
    json.end_object();
  }

  void write_foreign(std::string_view section, ForeignEntry const& entry, ProvPlace place, std::uint64_t relation,
                     Part& part) override {
    begin_entry(section, place, entry.key, relation, part.text);
    part.text.append(entry.json());
  }

  void write_bundles(std::map<std::string, ForeignPart> const& bundles, ProvPlace place, Part& part) override {
    auto& out = part.text;
    if (place.has_section) out.push_back('}');
    out.append(",\n\"bundle\":{");
    bool is_first = true;
    for (auto const& [name, bundle] : bundles) {
      if (!is_first) out.append(",\n");
      is_first = false;
      schema::json::append_string(out, name);
      out.push_back(':');
      write_bundle(bundle, out);
    }
  }

  /// The name and colon before an entry, in the section that it opens or goes on with. A relation without a name has
  /// that of its number.
  static void begin_entry(std::string_view section, ProvPlace place, std::string_view id, std::uint64_t relation,
                          std::string& out) {
    if (place.is_first && place.has_section) out.push_back('}');
    out.append(",\n");
    if (place.is_first) out.append("\"").append(section).append("\":{");
    if (id.empty()) {
      schema::json::append_integer(out.append("\"_:"), relation);
      out.append("\":");
      return;
    }
    schema::json::append_string(out, id);
    out.push_back(':');
  }

  void write_bundle(ForeignPart const& part, std::string& out) {
    Writer json(out);
    json.begin_object();
    if (!part.prefixes.empty()) {
      json.key("prefix").begin_object();
      for (auto const& [prefix, iri] : part.prefixes) json.member(prefix, std::string_view(iri));
      json.end_object();
    }
    for (auto const& [section, entries] : part.sections) {
      json.key(section).begin_object();
      for (auto const& entry : entries) {
        json.key(entry.key.empty() ? "_:" + std::to_string(next_relation()) : entry.key).raw(entry.json());
      }
      json.end_object();
    }
    json.end_object();
  }

  [[nodiscard]] std::string document_end(bool has_sections) const override { return has_sections ? "}}\n" : "}\n"; }
};

}  // namespace

std::unique_ptr<GraphWriter> make_prov_json(FormatOptions const&) {
  return std::make_unique<ProvJsonWriter>();
}

}  // namespace whence::exports
