// What each function does, for lists of them.
#include "queries/cypher/functions/table.hpp"

#include <algorithm>
#include <array>
#include <utility>

namespace whence::queries::cypher {
namespace {

using Described = std::pair<std::string_view, std::string_view>;

constexpr auto docs = std::to_array<Described>({
    {"count", "How many values there are that are not null."},
    {"sum", "The sum of the numbers or durations."},
    {"avg", "The mean of the numbers or durations."},
    {"min", "The first value in the order of ORDER BY."},
    {"max", "The last value in the order of ORDER BY."},
    {"collect", "The values that are not null, as a list."},
    {"stDev", "The standard deviation of a sample."},
    {"stDevP", "The standard deviation of all there is."},
    {"percentileCont", "The percentile, between two values where it falls between them."},
    {"percentileDisc", "The percentile, as the value that is nearest."},
    {"id", "The number of a node or relation in its store."},
    {"elementId", "The ref of a node; the number of a relation as a text."},
    {"labels", "The labels of a node."},
    {"type", "The type of a relation."},
    {"properties", "The properties as a map."},
    {"keys", "The names of the properties, or of a map's entries."},
    {"startNode", "The node that a relation leaves."},
    {"endNode", "The node that a relation leads to."},
    {"nodes", "The nodes of a path."},
    {"relationships", "The relations of a path."},
    {"rels", "The relations of a path."},
    {"length", "How many relations a path has."},
    {"weight", "The weight of a relation, 1 where it has none; the product along a path or a list."},
    {"coalesce", "The first argument that is not null."},
    {"exists", "Whether the value is not null."},
    {"size", "How many elements a list or map has, or characters a text."},
    {"head", "The first element of a list."},
    {"last", "The last element of a list."},
    {"tail", "A list without its first element."},
    {"reverse", "A list or a text from its end to its beginning."},
    {"range", "The integers from the first to the second, both included, by steps of the third."},
    {"toInteger", "The value as an integer; null where it is none."},
    {"toFloat", "The value as a float; null where it is none."},
    {"toBoolean", "The value as a boolean; null where it is none."},
    {"toString", "The value as a text."},
    {"toLower", "The text in lower case."},
    {"lower", "The text in lower case."},
    {"toUpper", "The text in upper case."},
    {"upper", "The text in upper case."},
    {"trim", "The text without blanks at both ends."},
    {"lTrim", "The text without blanks at its beginning."},
    {"rTrim", "The text without blanks at its end."},
    {"replace", "The text with each occurrence of the second replaced by the third."},
    {"split", "The parts of the text between the separators."},
    {"substring", "The text from a place, counted from 0, with so many characters."},
    {"left", "The first characters of the text."},
    {"right", "The last characters of the text."},
    {"sqrt", "The square root."},
    {"exp", "e to the power of the number."},
    {"log", "The natural logarithm."},
    {"log10", "The logarithm to base 10."},
    {"sin", "The sine of an angle in radians."},
    {"cos", "The cosine of an angle in radians."},
    {"tan", "The tangent of an angle in radians."},
    {"cot", "The cotangent of an angle in radians."},
    {"asin", "The arc sine in radians."},
    {"acos", "The arc cosine in radians."},
    {"atan", "The arc tangent in radians."},
    {"degrees", "Radians as degrees."},
    {"radians", "Degrees as radians."},
    {"haversin", "Half the versine of an angle in radians."},
    {"ceil", "The least whole number that is not below."},
    {"floor", "The largest whole number that is not above."},
    {"round", "The nearest number with so many places."},
    {"abs", "The number without its sign."},
    {"sign", "-1, 0 or 1."},
    {"atan2", "The arc tangent of two numbers in radians."},
    {"e", "The base of the natural logarithm."},
    {"pi", "The ratio of a circle's circumference to its diameter."},
    {"rand", "A number from 0 up to 1 by chance."},
    {"date", "A date, of a text, a map, or another temporal value; without an argument that of now."},
    {"localtime", "A time of day without an offset, likewise."},
    {"time", "A time of day with an offset, likewise."},
    {"localdatetime", "A date and time without an offset, likewise."},
    {"datetime", "A date and time with an offset or a zone, likewise."},
    {"datetime.fromEpoch", "The moment so many seconds and nanoseconds after 1970-01-01T00:00Z."},
    {"datetime.fromEpochMillis", "The moment so many milliseconds after 1970-01-01T00:00Z."},
    {"duration", "A duration, of a text or a map."},
    {"duration.between", "What is between two moments, in months, days and seconds."},
    {"duration.inMonths", "What is between two moments, in whole months."},
    {"duration.inDays", "What is between two moments, in whole days."},
    {"duration.inSeconds", "What is between two moments, in seconds."},
    {"timestamp", "Milliseconds since 1970-01-01T00:00Z, now."},
});

}  // namespace

std::string_view doc_of(Function const& function) {
  if (function.name.ends_with(".truncate")) return "The beginning of the unit that a moment is in.";
  if (function.name.ends_with(".transaction") || function.name.ends_with(".statement") ||
      function.name.ends_with(".realtime"))
    return "The moment when the query began, in the zone that a text names.";
  auto const found = std::ranges::find(docs, function.name, &Described::first);
  return found != docs.end() ? found->second : std::string_view{};
}

}  // namespace whence::queries::cypher
