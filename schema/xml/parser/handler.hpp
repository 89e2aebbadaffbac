#pragma once
// Walks the tables of the grammar along the parser's events: checks each rule at the first event that can decide it,
// and builds the parts.

#include "schema/xml/contract.hpp"
#include "schema/xml/grammar.hpp"
#include "schema/xml/parser/memory.hpp"
#include "schema/xml/parser/namespaces.hpp"
#include "schema/xml/parser/place.hpp"
#include "schema/xml/utf16.hpp"

#include <array>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <xercesc/sax/Locator.hpp>
#include <xercesc/sax2/Attributes.hpp>
#include <xercesc/sax2/DefaultHandler.hpp>

namespace whence::schema::xml {

/// A finding whose place is not computed yet: only reported findings need one.
struct Finding {
  /// The thing at the place, seen from `mark`.
  enum class Anchor : std::uint8_t {
    mark,  ///< itself
    tag,   ///< the tag that ends there
    text,  ///< the first text behind it
  };

  std::optional<XmlError> error;  ///< none: a warning
  XmlRule rule;
  std::string path;
  std::string message;
  std::string seen;
  Mark mark;
  Anchor anchor = Anchor::tag;
};

/// Ends a parse: thrown through Xerces, which lets foreign exceptions pass.
struct Stop {
  Finding finding;
};

/// Handles one document after the other, on one thread.
class Handler final : public xercesc::DefaultHandler {
 public:
  /// `memory` outlives it.
  explicit Handler(CountingMemory const& memory) : memory_(memory) {}

  /// Makes ready for `bytes`, which outlive the parse, as `limits` do.
  void begin(std::string_view bytes, std::optional<XmlFormat> expected, Limits const& limits);

  /// After a parse that was not stopped.
  [[nodiscard]] XmlParts take_parts() noexcept { return std::move(parts_); }
  [[nodiscard]] std::vector<Finding>& warnings() noexcept { return warnings_; }

  /// The finding for a fault in XML itself.
  [[nodiscard]] Finding malformed(std::string message, Mark mark, Finding::Anchor anchor) const;
  /// The open elements; numbers only for those the grammar knows.
  [[nodiscard]] std::string path() const;

  void setDocumentLocator(xercesc::Locator const* locator) override { locator_ = locator; }
  void startElement(XMLCh const* uri, XMLCh const* local, XMLCh const* name,
                    xercesc::Attributes const& attributes) override;
  void endElement(XMLCh const* uri, XMLCh const* local, XMLCh const* name) override;
  void characters(XMLCh const* units, XMLSize_t size) override;
  void ignorableWhitespace(XMLCh const* units, XMLSize_t size) override { characters(units, size); }
  void processingInstruction(XMLCh const* target, XMLCh const* data) override;
  void error(xercesc::SAXParseException const& problem) override { refuse(problem); }
  void fatalError(xercesc::SAXParseException const& problem) override { refuse(problem); }

 private:
  /// An open element that the grammar knows.
  struct Frame {
    ElementRow const* row;
    std::uint32_t number;                                  ///< which of its name in its parent, from 1
    Mark mark;                                             ///< of its start tag
    std::array<std::uint32_t, element_count> counts = {};  ///< children by element
    bool has_stray = false;                                ///< of the run of text that is going on
  };

  [[nodiscard]] Mark here() const;
  [[nodiscard]] XmlFormat format() const noexcept;  ///< known or guessed
  [[noreturn]] void stop(XmlError error, XmlRule rule, std::string path, std::string message, Mark mark,
                         std::string_view seen = {}) const;
  [[noreturn]] void refuse(xercesc::SAXParseException const& problem) const;
  void apply(Verdict const& verdict, std::string_view attribute, Mark mark, std::string_view seen,
             Finding::Anchor anchor = Finding::Anchor::tag);

  void read_attributes(xercesc::Attributes const& attributes);
  void check_limits(std::u16string_view name) const;
  ElementRow const& root_row(std::u16string_view name) const;
  ElementRow const* find_known(std::u16string_view name) const;
  void open(ElementRow const& row);
  void open_unknown(std::u16string_view name);
  [[nodiscard]] RawAttribute const* find_attribute(std::u16string_view name, std::size_t likely) const noexcept;
  void take_attributes();
  void close();
  void note_end_of_tag();

  CountingMemory const& memory_;
  xercesc::Locator const* locator_ = nullptr;
  std::string_view bytes_;
  std::optional<XmlFormat> expected_;
  Limits const* limits_ = nullptr;

  XmlParts parts_;
  std::vector<Finding> warnings_;
  std::vector<Frame> frames_;
  std::vector<RawAttribute> attributes_;  ///< of the tag being read
  Namespaces namespaces_;
  Utf8Text text_;                        ///< of the open element: those with text have no known elements in them
  Utf8Text value_;                       ///< of an attribute
  Mark last_tag_;                        ///< where text between elements begins
  std::size_t depth_ = 0;                ///< of all elements
  std::size_t unknown_depth_ = 0;        ///< of these, how many are unknown or inside an unknown one
  std::vector<std::u16string> unknown_;  ///< names of these, and of some left already
};

}  // namespace whence::schema::xml
