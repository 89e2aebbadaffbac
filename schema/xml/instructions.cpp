// The numbers are those that the grammar checks. The example is written from parts, so it is what the contract asks
// for.
#include "schema/xml/instructions.hpp"

#include "schema/xml/contract.hpp"
#include "schema/xml/usual.hpp"

namespace whence::schema::xml {
namespace {

std::string range(std::size_t from, std::size_t to) {
  return std::to_string(from) + " to " + std::to_string(to);
}

std::string example() {
  ResponseParts const parts{
      .response =
          "Sow tomatoes indoors in March, six to eight weeks before the last frost. Give them a light place, and "
          "plant them out in the middle of May.",
      .analysis = {.subjects = {{.name = "tomato-sowing",
                                 .description = "When and where tomatoes are sown, and what protects the young plants.",
                                 .is_new = true,
                                 .keywords = {{"tomatoes", 0.95}, {"sowing-time", 0.9}, {"last-frost", 0.75}}}},
                   .summary_update = "The user asked when to sow tomatoes. March, indoors and in the light, was "
                                     "recommended, and May for planting out."}};
  return write(parts).value();
}

/// A line break between tags, so that a reader sees the form.
std::string broken_into_lines(std::string const& document) {
  std::string text;
  for (std::size_t i = 0; i < document.size(); ++i) {
    bool const is_between = i > 0 && document[i] == '<' && document[i - 1] == '>';
    if (is_between) text.push_back('\n');
    text.push_back(document[i]);
  }
  return text;
}

}  // namespace

std::string instructions() {
  std::string text =
      "Answer every message with exactly one XML document of the form below. Write nothing before it and nothing "
      "behind "
      "it, no code fence either. A program reads the document; an answer that breaks a rule is refused.\n\n";
  text += broken_into_lines(example());
  text +=
      "\n\nWhat the elements are for\n"
      "- <response> holds what you say to the user. It is never empty and usually has " +
      range(response_usual_min, response_usual_max) + " characters.\n";
  text +=
      "- <analysis> holds what the exchange was about, for a program.\n"
      "- <subject> is one main theme of the exchange. Write " +
      range(subjects_usual_min, subjects_max) +
      " of them. All three attributes are required. name is a short name; description is one or two sentences of " +
      range(description_usual_min, description_usual_max) +
      " characters; isNew is \"true\" for a theme that comes up for the first time, and \"false\" for one that goes "
      "on, whose name you then repeat letter by letter.\n";
  text += "- <keyword> is one key concept of its subject. Write " + range(keywords_usual_min, keywords_usual_max) +
          " of them in each subject, never more than " + std::to_string(keywords_max) +
          ". Both attributes are required. confidence is a number from 0.0 to 1.0 that says how certain you are; leave "
          "out what is below " +
          std::to_string(confidence_usual_min).substr(0, 3) + ".\n";
  text +=
      "- <summaryUpdate> is required, once, after the subjects: what this exchange adds to the "
      "conversation, in two or three sentences of " +
      range(summary_usual_min, summary_usual_max) +
      " characters. Do not repeat what was said before. Leave it empty where nothing is new.\n";
  text +=
      "\nHow to write it\n"
      "- Names of subjects and terms of keywords are lowercase words joined by hyphens, like \"last-frost\".\n"
      "- In texts write &amp; for &, &lt; for < and &gt; for >; in attributes also &quot; for \" and &apos; for '. A "
      "text with much code may be in <![CDATA[ ]]> instead.\n"
      "- Use no other elements and no DOCTYPE. The encoding is UTF-8.\n";
  text +=
      "\nWhat you receive\n"
      "The message of the user may come as an <llmQuery> document: <userMessage> is what the user said; <context> "
      "has the topic and its number of messages, the names of its current subjects in <activeSubjects> and the "
      "terms of its recent keywords in <recentKeywords>. Use these names and terms again where they fit.\n";
  return text;
}

}  // namespace whence::schema::xml
