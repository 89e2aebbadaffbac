// Hostile documents: the bounds of parsing, and that nothing takes long, much memory, or anything from outside.
#include "tests/schema/xml/xml_documents.hpp"
#include "tests/support/sanitized.hpp"

#include <ctime>
#include <functional>

#include <boost/test/data/monomorphic.hpp>
#include <boost/test/data/test_case.hpp>
#include <boost/test/unit_test.hpp>
#include <sys/resource.h>

namespace whence::schema::xml {
namespace {

namespace data = boost::unit_test::data;
using namespace test;

std::string const minimal = "<response>r</response><analysis><summaryUpdate/></analysis>";

std::string attributes(std::size_t count, std::string const& value = {}) {
  std::string result = "<a";
  for (std::size_t i = 0; i < count; ++i) result += " a" + std::to_string(i) + "=\"" + value + "\"";
  return result + "/>";
}

struct LimitCase {
  std::string name;
  std::string bytes;
  std::string expected;
};
std::ostream& operator<<(std::ostream& out, LimitCase const& each) {
  return out << each.name;
}

std::string padded(std::size_t size) {
  std::string bytes = response(minimal);
  return bytes + std::string(size - bytes.size(), ' ');
}

std::vector<LimitCase> const limits_at_and_over = {
    {"size", padded(1U << 20U), "valid"},
    {"size_over", padded((1U << 20U) + 1), "limit_exceeded limit 1:1 /"},
    {"depth", response(repeat("<a>", 63) + repeat("</a>", 63) + minimal), "valid"},
    {"depth_over", response(repeat("<a>", 64) + repeat("</a>", 64) + minimal),
     "limit_exceeded limit 1:203 /llmResponse" + repeat("/a", 64)},
    {"attributes", response(attributes(256) + minimal), "valid"},
    {"attributes_over", response("\n" + attributes(257) + minimal), "limit_exceeded limit 2:1 /llmResponse"},
    {"attributes_with_brackets_in_values", response(attributes(256, ">/>='") + minimal), "valid"},
    {"attributes_over_behind_other_sections",
     response("<!-- <a '> --><![CDATA[<a \"]]><?p <a '?>" + attributes(257) + minimal),
     "limit_exceeded limit 1:54 /llmResponse"},
    {"attributes_over_behind_a_fault", response("<response/>" + attributes(257)),
     "empty_content R3 1:14 /llmResponse/response"},
    {"attributes_over_behind_malformed", "<llmResponse>&x;" + attributes(257), "malformed_xml R1 1:17 /llmResponse"},
    {"value", response("<a b=\"" + repeat("\u00e9", 8192) + "\"/>" + minimal), "valid"},
    {"value_over", response("<a b=\"" + repeat("\u00e9", 8192) + "x\"/>" + minimal),
     "limit_exceeded limit 1:14 /llmResponse/a/@b"},
    {"value_of_references", response("<a b=\"" + repeat("&#x1F600;", 4096) + "\"/>" + minimal), "valid"},
    {"value_of_references_over", response("<a b=\"" + repeat("&#x1F600;", 4097) + "\"/>" + minimal),
     "limit_exceeded limit 1:14 /llmResponse/a/@b"},
};
BOOST_DATA_TEST_CASE(holds_each_limit_at_its_bound, data::make(limits_at_and_over), each) {
  BOOST_TEST(verdict(each.bytes) == each.expected);
}

BOOST_AUTO_TEST_CASE(limits_can_be_set) {
  std::string const bytes = response("<a b=\"cc\" d=\"\"/>" + minimal);
  BOOST_TEST(verdict(bytes, {}, {.bytes_max = bytes.size()}) == "valid");
  BOOST_TEST(verdict(bytes, {}, {.bytes_max = bytes.size() - 1}) == "limit_exceeded limit 1:1 /");
  BOOST_TEST(verdict(bytes, {}, {.depth_max = 3}) == "valid");
  BOOST_TEST(verdict(bytes, {}, {.depth_max = 2}) == "limit_exceeded limit 1:62 /llmResponse/analysis/summaryUpdate");
  BOOST_TEST(verdict(bytes, {}, {.attributes_max = 2}) == "valid");
  BOOST_TEST(verdict(bytes, {}, {.attributes_max = 1}) == "limit_exceeded limit 1:14 /llmResponse");
  BOOST_TEST(verdict(bytes, {}, {.attribute_bytes_max = 2}) == "valid");
  BOOST_TEST(verdict(bytes, {}, {.attribute_bytes_max = 1}) == "limit_exceeded limit 1:14 /llmResponse/a/@b");
}

/// Fills a document of nearly 1 MiB with what `next` gives.
std::string filled(std::string const& before, std::function<std::string(std::size_t)> const& next,
                   std::string const& after) {
  std::string bytes = before;
  for (std::size_t i = 0;; ++i) {
    std::string const piece = next(i);
    if (bytes.size() + piece.size() + after.size() > (1U << 20U)) return bytes + after;
    bytes += piece;
  }
}

std::string in_root(std::function<std::string(std::size_t)> const& next) {
  return filled("<llmResponse>", next, minimal + "</llmResponse>");
}

std::string same(std::string const& piece) {
  return in_root([&piece](std::size_t) { return piece; });
}

/// Every name of three characters in turn.
std::string short_name(std::size_t i) {
  constexpr std::string_view letters = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_";
  return {letters[i / 4096 % 52], letters[i / 64 % 64], letters[i % 64]};
}

std::string declarations(std::size_t depth) {
  std::string result = "<a";
  for (std::size_t i = 0; i < 250; ++i) {
    std::string const number = std::to_string(depth * 250 + i);
    result.append(" xmlns:p").append(number).append("='u").append(number).append("'");
  }
  return result + ">";
}

std::string prefixes_in_scope() {
  std::string before = "<llmResponse xmlns:p='q'>";
  for (std::size_t i = 0; i < 60; ++i) before += declarations(i);
  return filled(
      before, [](std::size_t) { return std::string{"<p:a p:b=''/>"}; },
      repeat("</a>", 60) + minimal + "</llmResponse>");
}

std::string entities() {
  std::string bytes = "<!DOCTYPE a [<!ENTITY e0 \"aaaaaaaaaa\">";
  for (int i = 1; i < 30; ++i) {
    bytes += "<!ENTITY e" + std::to_string(i) + " \"" + repeat("&e" + std::to_string(i - 1) + ";", 10) + "\">";
  }
  return bytes + "]>" + response("<response>&e29;</response>");
}

std::vector<LimitCase> const hostile = {
    {"entity_bomb", entities(), "doctype_forbidden doctype 1:1 /"},
    {"quadratic_entity", "<!DOCTYPE a [<!ENTITY a \"" + repeat("a", 50'000) + "\">]>" + response(repeat("&a;", 50'000)),
     "doctype_forbidden doctype 1:1 /"},
    {"external_entity",
     "<!DOCTYPE a [<!ENTITY a SYSTEM \"file:///etc/passwd\">]>" + response("<response>&a;</response>"),
     "doctype_forbidden doctype 1:1 /"},
    {"parameter_entity", "<!DOCTYPE a [<!ENTITY % a SYSTEM \"http://127.0.0.1:9/a\">%a;]>" + response(minimal),
     "doctype_forbidden doctype 1:1 /"},
    {"external_dtd", "<!-- --><?p?>\n<!DOCTYPE a PUBLIC \"p\" \"http://127.0.0.1:9/a\">" + response(minimal),
     "doctype_forbidden doctype 2:1 /"},
    {"doctype_unfinished", "<!DOCTYPE", "doctype_forbidden doctype 1:1 /"},
    {"deep",
     filled(
         "<llmResponse>", [](std::size_t) { return std::string{"<a>"}; }, ""),
     "limit_exceeded limit 1:203 /llmResponse" + repeat("/a", 64)},
    {"deep_unclosed_known", repeat("<llmResponse>", 80'000), "misplaced_element R2 1:14 /llmResponse/llmResponse"},
    {"wide", same("<a/>"), "valid"},
    {"attributes_flood", response(attributes(80'000)), "limit_exceeded limit 1:14 /llmResponse"},
    {"attributes_everywhere", same(attributes(256)), "valid"},
    {"attribute_of_a_mebibyte", response("<a b=\"" + repeat("x", 1'000'000) + "\"/>"),
     "limit_exceeded limit 1:14 /llmResponse/a/@b"},
    {"comments", same("<!---->"), "valid"},
    {"instructions", same("<?p?>"), "valid"},
    {"sections", same("<a><![CDATA[]]></a>"), "valid"},
    {"references", same("<a>&#32;&#32;&#32;&#32;</a>"), "valid"},
    {"stray", same("x<a/>"), "valid"},
    {"stray_lines", same("x\n<a/>"), "valid"},
    {"lines", same("\n"), "valid"},
    {"long_name", response("<" + repeat("n", 1'000'000) + "/>" + minimal), "valid"},
    {"prefixes", prefixes_in_scope(), "valid"},
    {"namespaces", in_root([](std::size_t i) { return "<a xmlns:p='" + std::to_string(i) + "'/>"; }), "valid"},
    {"brackets",
     filled(
         "<llmResponse>", [](std::size_t) { return std::string{"<"}; }, ""),
     "malformed_xml R1 1:15 /llmResponse"},
    {"ampersands",
     filled(
         "<llmResponse>", [](std::size_t) { return std::string{"&"}; }, ""),
     "malformed_xml R1 1:15 /llmResponse"},
    {"quotes",
     filled(
         "<llmResponse a=", [](std::size_t) { return std::string{"\"'"}; }, ""),
     "malformed_xml R1 1:19 /"},
    {"open_comments", same("<!-- "), "malformed_xml R1 1:24 /llmResponse"},
};

long resident_kib() {
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  return usage.ru_maxrss;
}

// Claim: no document takes more than a second of the processor or 64 MiB. Method: the worst of each kind that fits into
// 1 MiB; memory is the growth of the process's peak. Sanitizers cost both, so the bounds are those of a plain build.
BOOST_DATA_TEST_CASE(survives_hostile_documents, data::make(hostile), each) {
  long const before = resident_kib();
  auto const start = std::clock();
  std::string const found = verdict(each.bytes);
  auto const seconds = static_cast<double>(std::clock() - start) / CLOCKS_PER_SEC;
  BOOST_TEST(found == each.expected);
  if (whence::test::is_sanitized) return;
  BOOST_TEST(seconds < 1.0);
  BOOST_TEST(resident_kib() - before < 64 * 1024);
}

// A name costs the parser 200 bytes for as long as it reads, and no document needs so many.
BOOST_AUTO_TEST_CASE(refuses_a_document_made_of_names) {
  long const before = resident_kib();
  std::string const found = verdict(in_root([](std::size_t i) { return "<" + short_name(i) + "/>"; }));
  BOOST_TEST(found.starts_with("limit_exceeded limit 1:"));
  if (!whence::test::is_sanitized) BOOST_TEST(resident_kib() - before < 64 * 1024);
  BOOST_TEST(verdict(response(minimal)) == "valid");
}

// Claim: a thread's parser does not grow with what it has read. Method: names and namespaces never seen before.
BOOST_AUTO_TEST_CASE(remembers_nothing_of_documents) {
  auto const document = [](std::size_t i) {
    std::string const n = std::to_string(i);
    return response("<e" + n + " xmlns:p" + n + "='u" + n + "' p" + n + ":a" + n + "=''/>" + minimal);
  };
  std::size_t at = 0;
  for (; at < 2'000; ++at) BOOST_TEST_REQUIRE(verdict(document(at)) == "valid");
  long const before = resident_kib();
  for (; at < 20'000; ++at) BOOST_TEST_REQUIRE(verdict(document(at)) == "valid");
  if (!whence::test::is_sanitized) BOOST_TEST(resident_kib() - before < 1024);
}

// The parser's buffers hold 16,384 and 24,576 units, so that one or the other ends inside a character of two units.
BOOST_AUTO_TEST_CASE(characters_of_two_units_lie_across_the_buffers_of_the_parser) {
  for (std::size_t before = 1; before <= 3; ++before) {
    auto const text = std::string(before, 'r') + repeat("\U0001F600", 30'000);
    auto const value = std::string(before, 'v') + repeat("\U0001F600", 4'000);
    auto parts = repeat("<\U00010000a\U00010000 b\U00010000='" + value + "'/>", 10);
    parts.append("<response>").append(text).append("</response><analysis><summaryUpdate/></analysis>");
    auto const document = read(response(parts));
    BOOST_TEST_REQUIRE(document.has_value());
    BOOST_TEST((std::get<ResponseParts>(document->parts).response == text));
  }
}

}  // namespace
}  // namespace whence::schema::xml
