#pragma once
// The numbers of the contract: what is allowed at most, and what is usual. Outside of the latter there is a warning.

#include <cstddef>

namespace whence::schema::xml {

inline constexpr std::size_t user_message_max = 10'000;  ///< code points, as all lengths
inline constexpr std::size_t name_max = 255;             ///< of a subject's name and of a keyword's term
inline constexpr std::size_t active_subjects_max = 20;
inline constexpr std::size_t recent_keywords_max = 50;
inline constexpr std::size_t subjects_max = 3;
inline constexpr std::size_t keywords_max = 10;

inline constexpr std::size_t subjects_usual_min = 1;
inline constexpr std::size_t keywords_usual_min = 3;
inline constexpr std::size_t keywords_usual_max = 7;
inline constexpr std::size_t description_usual_min = 50;
inline constexpr std::size_t description_usual_max = 200;
inline constexpr std::size_t response_usual_min = 100;
inline constexpr std::size_t response_usual_max = 2000;
inline constexpr std::size_t summary_usual_min = 50;  ///< unless it is blank
inline constexpr std::size_t summary_usual_max = 300;
inline constexpr double confidence_usual_min = 0.6;

}  // namespace whence::schema::xml
