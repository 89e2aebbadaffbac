// Reading: byte checks, one parse, places. The only file that drives Xerces.
//
// Xerces-C++ 3.2 as it comes reads files, connects to hosts named in a document and unfolds entities without end. What
// keeps it from all of that, each enough for its part: no DOCTYPE reaches it (bytes.cpp), the scanner for well-formed
// documents reads none and knows the five predefined entities only, and no external DTD, schema or default resolution
// of entities is switched on. Namespaces are off: namespaces.cpp says why. That scanner counts the predefined entities
// as expansions, so that no limit is set for these.
#include "schema/xml/contract.hpp"
#include "schema/xml/markup.hpp"
#include "schema/xml/parser/bytes.hpp"
#include "schema/xml/parser/handler.hpp"
#include "schema/xml/parser/source.hpp"

#include <algorithm>
#include <memory>
#include <utility>

#include <xercesc/sax2/SAX2XMLReader.hpp>
#include <xercesc/sax2/XMLReaderFactory.hpp>
#include <xercesc/util/PlatformUtils.hpp>
#include <xercesc/util/XMLException.hpp>
#include <xercesc/util/XMLUni.hpp>

namespace whence::schema::xml {
namespace {

using xercesc::XMLUni;

/// A parser that holds so much more than a new one after a document is replaced.
constexpr std::size_t parser_growth_max = std::size_t{512} << 10;

/// Xerces is never shut down: threads may parse until the process ends.
void start_xerces() {
  static bool const is_started = (xercesc::XMLPlatformUtils::Initialize(), true);
  static_cast<void>(is_started);
}

/// A parser and what it needs, for one thread.
class Parser {
 public:
  Parser() : handler_(memory_) {
    start_xerces();
    renew();
  }

  /// Throws Stop where the document is refused.
  void parse(std::string_view bytes) {
    Source const source(bytes, memory_);
    try {
      reader_->parse(source);
    } catch (xercesc::XMLException const& problem) {
      throw Stop{handler_.malformed(to_utf8(problem.getMessage()), {}, Finding::Anchor::mark)};
    }
  }

  /// Forgets what a large document left behind.
  void tidy() {
    if (memory_.bytes() > fresh_bytes_ + parser_growth_max) renew();
  }

  [[nodiscard]] Handler& handler() noexcept { return handler_; }

 private:
  void renew() {
    reader_.reset();
    reader_.reset(xercesc::XMLReaderFactory::createXMLReader(&memory_));
    reader_->setProperty(XMLUni::fgXercesScannerName, const_cast<XMLCh*>(XMLUni::fgWFXMLScanner));
    reader_->setFeature(XMLUni::fgSAX2CoreNameSpaces, false);
    reader_->setFeature(XMLUni::fgSAX2CoreValidation, false);
    reader_->setFeature(XMLUni::fgXercesDynamic, false);
    reader_->setFeature(XMLUni::fgXercesSchema, false);
    reader_->setFeature(XMLUni::fgXercesLoadSchema, false);
    reader_->setFeature(XMLUni::fgXercesLoadExternalDTD, false);
    reader_->setFeature(XMLUni::fgXercesDisableDefaultEntityResolution, true);
    reader_->setFeature(XMLUni::fgXercesCalculateSrcOfs, false);
    reader_->setContentHandler(&handler_);
    reader_->setErrorHandler(&handler_);
    fresh_bytes_ = memory_.bytes();
  }

  CountingMemory memory_;
  Handler handler_;
  std::unique_ptr<xercesc::SAX2XMLReader> reader_;
  std::size_t fresh_bytes_ = 0;
};

Violation violation_at(Finding finding, Place place) {
  return {.code = Errc::invalid_xml,
          .rule = std::string{info(finding.rule).name},
          .path = std::move(finding.path),
          .index = {},
          .seen = std::move(finding.seen),
          .message = std::move(finding.message),
          .xml = XmlPlace{.error = finding.error ? std::string{name_of(*finding.error)} : std::string{},
                          .line = place.line,
                          .column = place.column}};
}

std::size_t offset_of(Finding const& finding, Places& places) {
  std::size_t const offset = places.offset_of(finding.mark);
  switch (finding.anchor) {
    case Finding::Anchor::tag:
      return places.tag_before(offset);
    case Finding::Anchor::text:
      return places.text_after(offset);
    case Finding::Anchor::mark:
      break;
  }
  return offset;
}

Error refusal(Finding finding, std::size_t offset, Places& places) {
  return error_from(violation_at(std::move(finding), places.place_of(offset)));
}

Error refusal(ByteFault const& fault, std::string_view bytes) {
  Places places{bytes.substr(0, fault.offset)};
  return refusal({.error = fault.error,
                  .rule = fault.rule,
                  .path = "/",
                  .message = std::string{fault.message},
                  .seen = {},
                  .mark = {}},
                 fault.offset, places);
}

/// The finding of a stopped parse. Where a flood of attributes was cut off, the end of the XML there is no fault.
Error refusal(Finding finding, std::string_view bytes, std::optional<AttributeFlood> const& flood) {
  Places places{bytes};
  std::size_t offset = offset_of(finding, places);
  if (flood && finding.error == XmlError::malformed_xml && offset > flood->tag) {
    finding.error = XmlError::limit_exceeded;
    finding.rule = XmlRule::limit;
    finding.message = "an element has too many attributes";
    offset = flood->tag;
  }
  return refusal(std::move(finding), offset, places);
}

/// The warnings about unescaped characters, which the parser does not show.
void append_bare_marks(std::vector<Violation>& warnings, std::string_view bytes, XmlFormat format) {
  if (!may_have_bare_marks(bytes)) return;
  Places places{bytes};
  for (BareMark& mark : measure(bytes, format).marks) {
    auto const place = places.place_of(mark.offset);
    warnings.push_back(violation_at({.error = {},
                                     .rule = XmlRule::bare_mark,
                                     .path = std::move(mark.path),
                                     .message = "a > should be written as &gt;",
                                     .seen = {},
                                     .mark = {}},
                                    place));
  }
}

std::vector<Violation> warnings_of(std::vector<Finding>& findings, std::string_view bytes) {
  std::vector<Violation> warnings;
  std::stable_sort(findings.begin(), findings.end(),
                   [](Finding const& a, Finding const& b) { return a.mark < b.mark; });
  warnings.reserve(findings.size());
  Places places{bytes};
  for (Finding& finding : findings) {
    std::size_t const offset = offset_of(finding, places);
    warnings.push_back(violation_at(std::move(finding), places.place_of(offset)));
  }
  return warnings;
}

}  // namespace

Result<Document> read(std::string_view bytes, std::optional<XmlFormat> format, Limits const& limits) {
  if (auto const fault = find_byte_fault(bytes, limits)) return refusal(*fault, bytes);
  auto const flood = find_attribute_flood(bytes, limits.attributes_max);
  thread_local Parser parser;
  parser.handler().begin(bytes, format, limits);
  std::optional<Error> refused;
  try {
    parser.parse(flood ? bytes.substr(0, flood->cut) : bytes);
  } catch (Stop& stopped) {
    refused = refusal(std::move(stopped.finding), bytes, flood);
  }
  parser.tidy();
  if (refused) return *std::move(refused);
  Document document{.parts = parser.handler().take_parts()};
  document.warnings = warnings_of(parser.handler().warnings(), bytes);
  append_bare_marks(document.warnings, bytes, format_of(document.parts));
  auto const place_of = [](Violation const& warning) { return std::pair{warning.xml->line, warning.xml->column}; };
  std::ranges::stable_sort(document.warnings, {}, place_of);
  if (document.warnings.size() > warnings_max) document.warnings.resize(warnings_max);
  return document;
}

}  // namespace whence::schema::xml
