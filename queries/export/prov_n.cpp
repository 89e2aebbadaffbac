// PROV-N (W3C recommendation): the notation for people. Arguments that are left open are `-`.

#include "queries/export/impl/writers.hpp"
#include "queries/export/prov.hpp"

namespace whence::exports {
namespace {

void append_literal(std::string& out, std::string_view text) {
  out.push_back('"');
  for (char const c : text) {
    switch (c) {
      case '"':
        out.append("\\\"");
        break;
      case '\\':
        out.append("\\\\");
        break;
      case '\n':
        out.append("\\n");
        break;
      case '\r':
        out.append("\\r");
        break;
      case '\t':
        out.append("\\t");
        break;
      case '\b':
        out.append("\\b");
        break;
      case '\f':
        out.append("\\f");
        break;
      default:
        out.push_back(c);
    }
  }
  out.push_back('"');
}

void append_value(std::string& out, ProvValue const& value) {
  switch (value.type) {
    case ProvValue::Type::name:
      out.append("'").append(value.text).append("'");
      return;
    case ProvValue::Type::text:
      append_literal(out, value.text);
      return;
    case ProvValue::Type::integer:
      append_literal(out, value.text);
      out.append(" %% xsd:long");
      return;
    case ProvValue::Type::real:
      append_literal(out, value.text);
      out.append(" %% xsd:double");
      return;
    case ProvValue::Type::time:
      append_literal(out, value.text);
      out.append(" %% xsd:dateTime");
      return;
  }
}

class ProvNWriter final : public ProvWriter {
 private:
  [[nodiscard]] std::string document_begin(std::span<ProvPrefix const> prefixes) const override {
    std::string text = "document\n";
    for (auto const& prefix : prefixes) text.append("  prefix " + prefix.name + " <" + prefix.iri + ">\n");
    return text;
  }

  void write(ProvStatement const& statement, std::string& out) override {
    out.append("  ").append(statement.section).push_back('(');
    bool is_first = true;
    auto const separate = [&] {
      if (!is_first) out.append(", ");
      is_first = false;
    };
    if (!statement.id.empty()) {
      separate();
      out.append(statement.id);
    }
    for (auto const& argument : statement.arguments) {
      separate();
      out.append(argument.value.empty() ? "-" : argument.value);
    }
    if (!statement.attributes.empty()) {
      separate();
      append_attributes(statement.attributes, out);
    }
    out.append(")\n");
  }

  static void append_attributes(std::vector<ProvAttribute> const& attributes, std::string& out) {
    out.push_back('[');
    bool is_first = true;
    for (auto const& attribute : attributes) {
      if (!is_first) out.append(", ");
      is_first = false;
      append_value(out.append(attribute.name).append("="), attribute.value);
    }
    out.push_back(']');
  }

  [[nodiscard]] std::string document_end() const override { return "endDocument\n"; }
};

}  // namespace

std::unique_ptr<GraphWriter> make_prov_n(FormatOptions const&) {
  return std::make_unique<ProvNWriter>();
}

}  // namespace whence::exports
