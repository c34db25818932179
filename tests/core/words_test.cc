#include "core/words.h"

#include <gtest/gtest.h>

namespace heddle {
namespace {

TEST(Words, AreLettersDigitsAndUnderscores) {
  EXPECT_EQ(first_word("a_1+b"), "a_1");
  EXPECT_EQ(first_word("8x"), "8x");
  EXPECT_EQ(first_word("+b"), "");
  EXPECT_EQ(first_word(""), "");
  EXPECT_EQ(last_word("a+b_1"), "b_1");
  EXPECT_EQ(last_word("a+"), "");
}

TEST(Words, LettersAreThoseOfAscii) {
  EXPECT_EQ(first_word("na\xC3\xAFve"), "na");
  EXPECT_EQ(last_word("na\xC3\xAFve"), "ve");
  EXPECT_FALSE(begins_name('1'));
  EXPECT_TRUE(begins_name('_'));
}

}  // namespace
}  // namespace heddle
