// Parsing and validating a response of 10 KB, compared with the parser alone and with fast-xml-parser.

#include "schema/xml/contract.hpp"
#include "tools/bench/engine_fixture.hpp"
#include "tools/bench/parts.hpp"

#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <fstream>
#include <iostream>
#include <memory>
#include <optional>
#include <stdexcept>

#include <unistd.h>
#include <xercesc/framework/MemBufInputSource.hpp>
#include <xercesc/sax2/DefaultHandler.hpp>
#include <xercesc/sax2/SAX2XMLReader.hpp>
#include <xercesc/sax2/XMLReaderFactory.hpp>
#include <xercesc/util/PlatformUtils.hpp>
#include <xercesc/util/XMLUni.hpp>

namespace whence::bench {
namespace {

using xercesc::XMLUni;

constexpr std::size_t document_bytes = 10 * 1024;
constexpr int documents_a_round = 2'000;
constexpr int documents_for_memory = 100'000;

/// Prose with some entities and some letters beyond ASCII, three subjects of seven keywords.
std::string document() {
  std::string analysis = "<analysis>";
  for (int i = 0; i < 3; ++i) {
    std::string const number = std::to_string(i);
    analysis += "<subject name=\"college-savings-" + number +
                "\" description=\"Discussion of saving strategies for children's higher education\" isNew=\"true\">";
    for (int k = 0; k < 7; ++k) analysis += "<keyword term=\"tax-" + std::to_string(k) + "\" confidence=\"0.85\" />";
    analysis += "</subject>";
  }
  analysis += "<summaryUpdate>User asked about college savings amounts.</summaryUpdate></analysis></llmResponse>";
  std::string text = "<llmResponse><response>";
  while (text.size() + analysis.size() < document_bytes) {
    text +=
        "For college savings, financial advisors often recommend 529 plans &amp; similar accounts. They don't lose "
        "their value when the child\u2019s plans change.\n";
  }
  return text + "</response>" + analysis;
}

double cpu_seconds() {
  timespec time{};
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time);
  return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_nsec) * 1e-9;
}

/// Documents per second of CPU time in one round.
template <class Work>
double per_cpu_second(Work const& work) {
  double const start = cpu_seconds();
  for (int i = 0; i < documents_a_round; ++i) work();
  return documents_a_round / (cpu_seconds() - start);
}

/// Xerces with the features of the engine's parser, without handlers.
class BareParser {
 public:
  BareParser() {
    xercesc::XMLPlatformUtils::Initialize();
    reader_.reset(xercesc::XMLReaderFactory::createXMLReader());
    for (XMLCh const* const off :
         {XMLUni::fgSAX2CoreNameSpaces, XMLUni::fgSAX2CoreValidation, XMLUni::fgXercesDynamic, XMLUni::fgXercesSchema,
          XMLUni::fgXercesLoadSchema, XMLUni::fgXercesLoadExternalDTD, XMLUni::fgXercesCalculateSrcOfs}) {
      reader_->setFeature(off, false);
    }
    reader_->setContentHandler(&handler_);
    reader_->setErrorHandler(&handler_);
  }

  void parse(std::string const& bytes) {
    xercesc::MemBufInputSource source{reinterpret_cast<XMLByte const*>(bytes.data()), bytes.size(), "bench"};
    source.setCopyBufToStream(false);
    reader_->parse(source);
  }

 private:
  xercesc::DefaultHandler handler_;
  std::unique_ptr<xercesc::SAX2XMLReader> reader_;
};

/// The peer's figure; nothing if node or the package is missing. WHENCE_FAST_XML_PARSER names a folder in which
/// `npm install fast-xml-parser` was run.
std::optional<double> fast_xml_parser(std::string const& file) {
  char const* const folder = std::getenv("WHENCE_FAST_XML_PARSER");
  if (folder == nullptr) return std::nullopt;
  std::string const command =
      "node '" WHENCE_BENCH_SCRIPTS "/fast_xml_parser.mjs' '" + std::string{folder} + "' '" + file + "' 2>/dev/null";
  std::unique_ptr<FILE, int (*)(FILE*)> const pipe{popen(command.c_str(), "r"), pclose};
  double figure = 0;
  if (!pipe || std::fscanf(pipe.get(), "%lf", &figure) != 1) return std::nullopt;
  return figure;
}

double resident_kib() {
  std::ifstream statm("/proc/self/statm");
  double size = 0;
  double resident = 0;
  statm >> size >> resident;
  return resident * static_cast<double>(sysconf(_SC_PAGE_SIZE)) / 1024;
}

void read_one(std::string const& bytes) {
  if (!schema::xml::read(bytes)) throw std::runtime_error("the document is refused");
}

}  // namespace

void run_xml(Options const& options) {
  std::string const bytes = document();
  print_title("XML, a response of " + shown(static_cast<double>(bytes.size())) + " bytes parsed and validated");
  Scratch const scratch(options.directory + "/xml");
  std::string const file = scratch.file("response.xml");
  std::ofstream{file, std::ios::binary} << bytes;

  BareParser bare;
  std::vector<double> engine;
  std::vector<double> limit;
  for (unsigned i = 0; i <= options.repeats; ++i) {
    double const read = per_cpu_second([&] { read_one(bytes); });
    double const parsed = per_cpu_second([&] { bare.parse(bytes); });
    if (i == 0) continue;  // warm-up
    engine.push_back(read);
    limit.push_back(parsed);
  }
  Row row{.figure = "documents on one core",
          .unit = "per CPU second",
          .better = Better::higher,
          .whence = median(engine),
          .others = {{"bare Xerces (limit; expected at least 0.83x)", median(limit)}}};
  if (auto const peer = fast_xml_parser(file)) row.others.emplace_back("fast-xml-parser (peer)", *peer);
  print(row);
  print({.figure = "one document",
         .unit = "ms",
         .better = Better::lower,
         .whence = 1000 / median(engine),
         .others = {{"expected under", 10.0}}});

  double const before = resident_kib();
  for (int i = 0; i < documents_for_memory; ++i) read_one(bytes);
  print({.figure = "memory gained over 100,000 documents",
         .unit = "KiB",
         .better = Better::lower,
         .whence = resident_kib() - before,
         .others = {}});
}

}  // namespace whence::bench
