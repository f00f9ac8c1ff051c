/* Tests of the shim's C against a libibverbs of stubs; built with the address and undefined-behaviour sanitizers. */
#include "check.h"

int main(void)
{
    test_posts();
    test_objects();
    test_waits();
    printf("all C tests passed\n");
    return 0;
}
